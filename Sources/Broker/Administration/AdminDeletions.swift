import PhotoModel

/// The deletions by apps that wait for the caller.
package struct AdminDeletions: AdminPart {
  let caller: AdminSession

  package var waiting: [DeletionRequest] { caller.waiting(among: broker.deletions) }

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
