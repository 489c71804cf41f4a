package import Catalogue

/// The members of one album during the steps of a change request.
///
/// A request has many steps and an album many members, so the cost of a step depends only on the
/// assets that it names. The original members stay unchanged, with removals and insertions beside
/// them. Only ``members`` walks through all of them, once.
package struct PlannedMembers {
  /// An inserted member, and its neighbours at its place.
  private struct Link {
    let place: AssetNumber?
    var previous: AssetNumber?
    var next: AssetNumber?
  }

  private struct Ends {
    var first: AssetNumber
    var last: AssetNumber
  }

  private let before: [AssetNumber]
  private let had: (AssetNumber) -> Bool
  /// Original members that were moved or removed.
  private var taken: Set<AssetNumber> = []
  private var links: [AssetNumber: Link] = [:]
  /// The insertions just before an original member; nil: at the end.
  private var ends: [AssetNumber?: Ends] = [:]
  /// Number of members that the app sees.
  package private(set) var visibleCount: Int

  /// - Parameters:
  ///   - before: the members in order, each once.
  ///   - had: whether an asset was a member; called only for assets that a step names.
  ///   - visibleCount: the number of members that the app sees.
  package init(_ before: [AssetNumber], visibleCount: Int, had: @escaping (AssetNumber) -> Bool) {
    self.before = before
    self.visibleCount = visibleCount
    self.had = had
  }

  package func contains(_ number: AssetNumber) -> Bool {
    links[number] != nil || had(number) && !taken.contains(number)
  }

  /// Appends assets that are not members yet.
  /// - Parameter numbers: visible assets, as in all changes below.
  package mutating func add(_ numbers: [AssetNumber]) {
    for number in numbers where !contains(number) {
      put(number, before: nil)
      visibleCount += 1
    }
  }

  package mutating func remove(_ numbers: [AssetNumber]) {
    for number in numbers where contains(number) {
      take(number)
      visibleCount -= 1
    }
  }

  /// Moves members before another one that is not among them, in the given order; nil: to the end.
  package mutating func move(_ numbers: [AssetNumber], before next: AssetNumber?) {
    for number in numbers { take(number) }
    for number in numbers { put(number, before: next) }
  }

  private mutating func take(_ number: AssetNumber) {
    guard let link = links.removeValue(forKey: number) else {
      taken.insert(number)
      return
    }
    if let previous = link.previous { links[previous]?.next = link.next }
    if let next = link.next { links[next]?.previous = link.previous }
    switch (link.previous, link.next) {
    case (nil, nil): ends[link.place] = nil
    case (nil, let next?): ends[link.place]?.first = next
    case (let previous?, nil): ends[link.place]?.last = previous
    case (_?, _?): break
    }
  }

  private mutating func put(_ number: AssetNumber, before next: AssetNumber?) {
    if let next, let link = links[next] {
      links[number] = Link(place: link.place, previous: link.previous, next: next)
      links[next]?.previous = number
      if let previous = link.previous { links[previous]?.next = number } else { ends[link.place]?.first = number }
    } else {
      let last = ends[next]?.last
      links[number] = Link(place: next, previous: last, next: nil)
      if let last { links[last]?.next = number }
      ends[next, default: Ends(first: number, last: number)].last = number
    }
  }

  // MARK: Result

  /// The members in order.
  package var members: [AssetNumber] {
    let places = taken.union(ends.keys.compactMap { $0 })
    guard !places.isEmpty else { return before + chain(nil) }
    var members: [AssetNumber] = []
    members.reserveCapacity(before.count + links.count)
    for number in before {
      guard places.contains(number) else {
        members.append(number)
        continue
      }
      members += chain(number)
      if !taken.contains(number) { members.append(number) }
    }
    return members + chain(nil)
  }

  private func chain(_ place: AssetNumber?) -> [AssetNumber] {
    var chain: [AssetNumber] = []
    var next = ends[place]?.first
    while let number = next {
      chain.append(number)
      next = links[number]?.next
    }
    return chain
  }
}
