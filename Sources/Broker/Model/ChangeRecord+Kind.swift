package import Catalogue

extension ChangeRecord.Kind {
  private static let invisible: AssetFlags = [.hidden, .neverShare, .trashed, .missing]

  /// The kind of a change of flags; nil flags: not in the library. The result is nil if the asset
  /// was invisible before and after, because nobody is told of that.
  package static func of(from before: AssetFlags?, to after: AssetFlags?) -> Self? {
    let (was, `is`) = (
      before?.isDisjoint(with: invisible) ?? false, after?.isDisjoint(with: invisible) ?? false
    )
    let (wasShared, isShared) = (before?.contains(.cloudShared) ?? false, after?.contains(.cloudShared) ?? false)
    return switch (was, `is`) {
    case (false, true): isShared ? .sharedAppeared : .appeared
    case (true, false): wasShared ? .sharedDisappeared : .disappeared
    case (true, true): wasShared == isShared ? .changed : isShared ? .shared : .unshared
    case (false, false): before == nil || after == nil ? nil : .changed
    }
  }

  /// Whether the asset became visible or invisible.
  var movesAsset: Bool {
    switch self {
    case .appeared, .disappeared, .shared, .unshared, .sharedAppeared, .sharedDisappeared: true
    case .changed, .selected, .unselected, .album: false
    }
  }

  /// The kind for one type of view; nil: invisible there.
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
