package import PhotoModel

/// A grant as owners and administrators see it.
package struct GrantView {
  package let record: GrantRecord
  /// As it reads at this moment; another than the record's where the grant has ended.
  package let status: AuthorizationStatus
  package let app: AppRecord
  /// Assets in its selection; 0 unless limited.
  package let selected: Int
  /// Assets that the app sees.
  package let visible: Int
  /// Whether it gives nothing because the library does not exist for the app's user.
  package let isResting: Bool

  /// The answer that its level came from, for as long as it gives anything.
  package var agreement: Agreement? { status.grantsAccess ? record.agreement : nil }

  /// What the app says by now in the place of the words of that answer; nil where it says the same.
  package var otherWords: ShownWords? {
    guard let words = agreement?.words, case let now = words.asOfNow(app, record.key.level),
      !now.claimsTheSame(as: words)
    else {
      return nil
    }
    return now
  }
}
