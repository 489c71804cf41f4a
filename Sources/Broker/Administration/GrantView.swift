package import PhotoModel

/// A grant as owners and administrators see it.
package struct GrantView {
  package let record: GrantRecord
  /// The status at this moment. It differs from the record's after the grant's end.
  package let status: AuthorizationStatus
  package let app: AppRecord
  /// Number of selected assets; 0 unless limited.
  package let selected: Int
  /// Number of assets that the app sees.
  package let visible: Int
  /// The limits in force of what the app takes, the default included.
  package let allowance: Allowance
  /// Whether the caller sees the library's photos, and so the conditions of a live selection.
  package let showsConditions: Bool
  /// The title of the album among these conditions. Nil: none, or it was deleted.
  package let albumTitle: String?
  /// Whether it gives nothing because the library is not offered to the app's user.
  package let isResting: Bool

  /// Whether the limit of photos in a day is the default.
  package var isDefaultAllowance: Bool {
    allowance[.photosPerDay] != nil && record.terms.allowance[.photosPerDay] == nil
  }

  /// The answer that set the present level, while the grant gives access.
  package var agreement: Agreement? { status.grantsAccess ? record.agreement : nil }

  /// The app's present words, if they differ from those shown for that answer.
  package var otherWords: ShownWords? {
    guard let words = agreement?.words, case let now = words.asOfNow(app, record.key.level),
      !now.claimsTheSame(as: words)
    else {
      return nil
    }
    return now
  }
}
