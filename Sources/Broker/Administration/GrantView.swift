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
}
