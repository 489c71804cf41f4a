/// A token that an app made for a helper program, with
/// ``PhotoLibrary/mintChildToken(for:name:user:expires:)``.
public struct ChildToken: Hashable, Sendable {
  /// The token, for the helper alone: its holder has the access. A ``TokenFile`` may hold it as
  /// plain text.
  public let text: String
  /// The public identifier, as the owner's records have it.
  public let accessor: String
}
