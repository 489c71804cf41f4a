import Monitor

/// A pool of a plugin's processes or threads, each of which does one thing at a time.
///
/// A caller gets the first idle one, so that no more are started than needed, and a working one
/// before a failed one. A stuck element delays nobody while another one is idle. If none is idle,
/// or the idle ones would refuse while others are busy, the caller waits.
final class IdleFirst<Element: Sendable>: Sendable {
  let elements: [Element]
  private let isBusy: Monitor<[Bool]>
  private let health: @Sendable (Element) -> PluginHealth

  /// Interval between checks whether a waiting caller still wants an element.
  private static var lookInterval: Duration { .milliseconds(200) }

  init(_ elements: [Element], health: @escaping @Sendable (Element) -> PluginHealth = { _ in .well }) {
    self.elements = elements
    self.health = health
    isBusy = Monitor([Bool](repeating: false, count: elements.count))
  }

  /// Takes an element, to be returned with `giveBack`. Blocks while all are busy.
  ///
  /// - Parameter isWanted: called at the start and several times a second while it waits; false
  ///   cancels.
  /// - Returns: nil on timeout or cancellation.
  func take(until end: MonotonicTime, isWanted: () -> Bool) -> (element: Element, place: Int)? {
    while isWanted() {
      let place = isBusy.wait(until: min(end, .after(Self.lookInterval))) { isBusy -> Int? in
        let idle = isBusy.indices.filter { !isBusy[$0] }
        // `min` returns the first of equals.
        guard let (place, health) = idle.map({ ($0, health(elements[$0])) }).min(by: { $0.1 < $1.1 }) else {
          return nil
        }
        // A busy element is worth waiting for if the idle ones would refuse.
        let hasBetter =
          health == .refusing && isBusy.indices.contains { isBusy[$0] && self.health(elements[$0]) < .refusing }
        guard !hasBetter else { return nil }
        isBusy[place] = true
        return place
      }
      if let place { return (elements[place], place) }
      if end.hasPassed { return nil }
    }
    return nil
  }

  func giveBack(_ place: Int) { isBusy.change { $0[place] = false } }
}
