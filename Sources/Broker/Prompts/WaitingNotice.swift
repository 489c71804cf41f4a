/// The people for whom a request waits, as its app hears at once (R153).
package struct WaitingNotice: Sendable, Equatable {
  /// Account names of the people who can answer.
  package let owners: [String]
  /// Whether a program of one of them that shows requests is connected.
  package let isShown: Bool
}

extension Broker {
  func waitingNotice(to owners: Set<UInt32>) -> WaitingNotice {
    WaitingNotice(
      owners: owners.sorted().map { delegate?.accountName(of: $0) ?? "\($0)" },
      isShown: delegate?.canShowPrompts(to: owners) ?? true)
  }
}
