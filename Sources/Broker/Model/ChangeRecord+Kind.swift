package import Catalogue

extension ChangeRecord.Kind {
  private static let away: AssetFlags = [.hidden, .neverShare, .trashed]

  /// What happened to an asset whose flags are others now; nil flags: it is not in the library. Nil
  /// where it was in hiding as long as it was there: nobody is told of that.
  package static func of(from before: AssetFlags?, to after: AssetFlags?) -> Self? {
    let (was, `is`) = (before?.isDisjoint(with: away) ?? false, after?.isDisjoint(with: away) ?? false)
    let (wasShared, isShared) = (before?.contains(.cloudShared) ?? false, after?.contains(.cloudShared) ?? false)
    return switch (was, `is`) {
    case (false, true): isShared ? .sharedAppeared : .appeared
    case (true, false): wasShared ? .sharedDisappeared : .disappeared
    case (true, true): wasShared == isShared ? .changed : isShared ? .shared : .unshared
    case (false, false): before == nil || after == nil ? nil : .changed
    }
  }

  /// Whether the asset came into sight of those who could see it, or went out of it.
  var movesAsset: Bool {
    switch self {
    case .appeared, .disappeared, .shared, .unshared, .sharedAppeared, .sharedDisappeared: true
    case .changed, .selected, .unselected, .album: false
    }
  }

  /// The same in one kind of view; nil where it was nothing there.
  func seen(isLimited: Bool) -> Self? {
    switch self {
    case .appeared, .changed, .disappeared, .selected, .unselected: self
    case .album: nil
    case .shared: isLimited ? .disappeared : .changed
    case .unshared: isLimited ? .appeared : .changed
    case .sharedAppeared: isLimited ? nil : .appeared
    case .sharedDisappeared: isLimited ? nil : .disappeared
    }
  }
}
