package import Catalogue
package import Macaroons

/// The permission for one call: its verbs, and the epoch of its token. It accompanies all data of
/// the reply; ``Broker/mayRelease(_:)`` checks it before each piece is sent.
package struct Permit {
  package let session: Session
  package let attachment: Attachment
  package let verbs: Verbs
  /// The facts that the reply must not have. A later restriction makes the permit invalid.
  package let withheld: WithheldFacts
  /// The names of the withheld facts, as a reply tells them; nil: none is withheld.
  package var withheldNames: [String]? { withheld.isEmpty ? nil : withheld.names }
  /// The longest edge of a picture in the reply.
  package let pixels: Int
  let epoch: UInt64

  init(session: Session, attachment: Attachment, verbs: Verbs) {
    attachment.follow()
    self.session = session
    self.attachment = attachment
    self.verbs = verbs
    withheld = attachment.withheld
    pixels = attachment.pixels
    epoch = attachment.epoch
  }

  package var grant: GrantState { attachment.grant }
  package var library: LibraryState { attachment.library }
  package var accessor: Accessor { attachment.accessor }
  package var app: AppIdentifier { attachment.grant.record.key.app }
  /// The assets to which the token is attenuated; nil: all.
  package var attenuation: Attenuation? { attachment.attenuation }
  /// Whether calls or bytes are counted.
  package var isCounted: Bool { !attachment.budgets.isEmpty }
  /// The view under this permit; nil if nothing is visible.
  package var view: View? { attachment.grant.view(subset: attachment.attenuation?.selection) }
  /// The reply if the permit has become invalid.
  package var refusal: BrokerError { .accessEnded }
}

extension BrokerError {
  /// Replaces a reply that was not sent before access was restricted.
  package static let accessEnded = BrokerError.photos(
    .operationInterrupted, "Access changed before the answer had left; ask for the status, then repeat the call.")
}
