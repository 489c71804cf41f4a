/// The source of an asset or album. Assets that another library shares are never in a limited view
/// (R45).
public enum SourceType: String, Sendable, Hashable, CaseIterable {
  case userLibrary
  case cloudShared
}
