import PhotoModel

/// The feeds of one grant: one for its whole view, and one for each set of assets that tokens were narrowed to, so that the
/// position of a narrowed token counts nothing of what it does not show.
struct GrantFeeds {
  /// How many narrowed feeds are kept. One that was dropped is filled again from the log when it is asked for.
  static let narrowedLimit = 16

  private var whole = GrantFeed()
  private var narrowed: [(assets: Set<AssetIdentifier>, feed: GrantFeed)] = []

  /// - Parameter narrowing: nil: the grant's whole view.
  subscript(narrowing: Narrowing?) -> GrantFeed {
    get {
      guard let narrowing else { return whole }
      return narrowed.first { $0.assets == narrowing.identifiers }?.feed ?? GrantFeed()
    }
    set {
      guard let narrowing else { return whole = newValue }
      // The last used is the last of the list.
      narrowed.removeAll { $0.assets == narrowing.identifiers }
      narrowed.append((narrowing.identifiers, newValue))
      if narrowed.count > Self.narrowedLimit { narrowed.removeFirst() }
    }
  }
}
