import PhotoModel

/// The deletions by apps that wait for the caller.
package struct AdminDeletions {
  let caller: AdminSession
  let broker: Broker

  /// First those of the caller's own libraries, then those of co-owned ones, each oldest first.
  /// Administrators get none, because they see no photos.
  package var waiting: [DeletionRequest] {
    func place(_ request: DeletionRequest) -> (Int, Timestamp, AppIdentifier) {
      (request.library.record.owner == caller.uid ? 0 : 1, request.asked, request.identifier)
    }
    return broker.deletions.filter { $0.library.isOwner(caller.uid) && $0.mayStayOpen }.sorted {
      place($0) < place($1)
    }
  }

  /// Lets an app delete the photos of its request, or refuses it.
  /// - Throws: `notFound` for another owner's request, or one that was answered or withdrawn.
  package func answer(_ identifier: AppIdentifier, allows: Bool) throws(BrokerError) {
    guard let request = waiting.first(where: { $0.identifier == identifier }) else { throw .unknownDeletion() }
    broker.deletionService.answer(
      request, allows: allows, by: caller.decider(in: request.library, source: .prompt))
  }
}

extension BrokerError {
  package static func unknownDeletion() -> Self {
    .notFound("deletion", "No such deletion waits for you: it was answered or withdrawn. List those that wait.")
  }
}
