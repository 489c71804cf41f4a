import Monitor

/// Several of a kind that each do one thing at a time: whoever comes takes the first that is idle,
/// so that no more are started than are needed, and of these one that works before one that has
/// failed. What one of them is stuck in keeps nobody waiting who finds another one idle; who finds
/// none, or only such as refuse while others are at work, waits here, for as long as somebody waits
/// for him.
final class IdleFirst<Element: Sendable>: Sendable {
  let elements: [Element]
  private let isBusy: Monitor<[Bool]>
  private let health: @Sendable (Element) -> PluginHealth

  /// How often whoever waits is asked whether he still wants one.
  private static var lookInterval: Duration { .milliseconds(200) }

  init(_ elements: [Element], health: @escaping @Sendable (Element) -> PluginHealth = { _ in .well }) {
    self.elements = elements
    self.health = health
    isBusy = Monitor([Bool](repeating: false, count: elements.count))
  }

  /// Takes one, to be given back. Blocks while all are busy.
  ///
  /// - Parameter isWanted: Asked at the start and while it waits, several times a second; false ends that.
  /// - Returns: Nil: none was idle by the end, or it is not wanted any more.
  func take(until end: MonotonicTime, isWanted: () -> Bool) -> (element: Element, place: Int)? {
    while isWanted() {
      let place = isBusy.wait(until: min(end, .after(Self.lookInterval))) { isBusy -> Int? in
        let idle = isBusy.indices.filter { !isBusy[$0] }
        // Of equals `min` gives the first.
        guard let (place, health) = idle.map({ ($0, health(elements[$0])) }).min(by: { $0.1 < $1.1 }) else {
          return nil
        }
        // One that is busy is worth waiting for, where the idle ones would refuse.
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
