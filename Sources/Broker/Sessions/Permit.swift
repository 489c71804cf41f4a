package import Catalogue
package import Macaroons

/// The answer to one admission: what may be done, and under which epoch of its token. It goes with
/// every byte that follows from it, and ``Broker/mayRelease(_:)`` is asked before each leaves.
package struct Permit {
  package let session: Session
  package let attachment: Attachment
  package let verbs: Verbs
  let epoch: UInt64

  init(session: Session, attachment: Attachment, verbs: Verbs) {
    self.session = session
    self.attachment = attachment
    self.verbs = verbs
    epoch = attachment.epoch
  }

  package var grant: GrantState { attachment.grant }
  package var library: LibraryState { attachment.library }
  package var accessor: Accessor { attachment.accessor }
  package var app: AppIdentifier { attachment.grant.record.key.app }
  /// The assets that the token was narrowed to; nil: not narrowed.
  package var narrowing: Narrowing? { attachment.narrowing }
  /// What is visible under this permit; nil where nothing is.
  package var view: View? { attachment.grant.view(subset: attachment.narrowing?.selection) }
  /// What to answer instead where the permit no longer holds.
  package var refusal: BrokerError { .accessEnded }
}

extension BrokerError {
  /// In place of a reply that had not left when access was narrowed.
  package static let accessEnded = BrokerError.photos(
    .operationInterrupted, "Access changed before the answer had left; ask for the status, then repeat the call.")
}
