import BrokerInterface

/// A request that waits for a person.
public struct WaitingRequest: Sendable, Equatable {
  /// The account names of the people who can answer.
  public let owners: [String]
  /// Whether a program of one of them that shows requests is connected. If not, they can open the
  /// page with `photobroker open`, or answer with `photobroker request list`.
  public let isShown: Bool

  init(_ waiting: Library.Waiting) { (owners, isShown) = (waiting.owners, waiting.shown) }
}
