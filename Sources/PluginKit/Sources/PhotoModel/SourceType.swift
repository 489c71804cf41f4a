/// Where an asset or an album comes from. What another library shares into this one is never part
/// of a limited view (R45).
public enum SourceType: String, Sendable, Hashable, CaseIterable {
  case userLibrary
  case cloudShared
}
