import Broker
import BrokerInterface
import Catalogue
import Limits
import Macaroons
import Varlink

extension LibraryMethods {
  /// Binds cursors to this method.
  private static let versionsPurpose = Array("versions".utf8)

  static func fetchVersions(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.FetchVersions.Parameters = try call.parameters()
    let (cursor, limit) = (parameters.cursor, parameters.limit.map { Int($0) } ?? ServiceLimits.versionsLimit)
    if cursor == nil, waitsForAlbums(call, admission, then: fetchVersions) { return }
    let library = admission.library
    let position: CursorPosition? = try cursor.map { cursor throws(CallFailure) in
      try decide(library.openCursor(cursor, options: versionsPurpose, for: admission.app))
    }
    // The change token is from before the first page, so changes during the paging are not missed.
    // An app without the `observe` verb gets none, because a different token would tell it of a
    // change.
    var token: String?
    if position == nil, admission.permit.attachment.verbs.contains(.observe) {
      token = try decide(library.changes(since: nil, grant: admission.grant, narrowing: admission.narrowing).token)
    }
    let (view, first) = (admission.view, token)
    try lookUp(Query(), call, admission, again: fetchVersions) { catalogue in
      Result { () throws(BrokerError) in
        let page = try catalogue.answer(Query(), view: view, limit: limit, after: position)
        return FetchedPage(assets: catalogue.assets(page.positions), next: page.next)
      }
    } then: { found throws(CallFailure) in
      let page = try decide(found.get())
      let cursor = try page.next.map { next throws(CallFailure) in
        try decide(library.seal(next, options: versionsPurpose, for: admission.app))
      }
      try answer(page.assets, changeToken: first, cursor: cursor, to: call, admission)
    }
  }

  private static func answer(
    _ assets: AssetPage, changeToken: String?, cursor: String?, to call: IncomingCall, _ admission: Admission
  ) throws(CallFailure) {
    let identifiers = try decide(admission.seals.identifiers(of: assets))
    let versions = try decide(admission.seals.versions(of: assets))
    guard call.core.disclosures.noteMetadata(assets.facts, admission.permit) else { throw .broker(.ledgerUnavailable) }
    call.write(under: admission.permit) { writer in
      writer.beginObject()
      writer.key("localIdentifiers")
      writeList(of: identifiers, bytesEach: 35, to: &writer) { identifier, pen in
        pen.hex(UInt64(truncatingIfNeeded: identifier >> 64))
        pen.hex(UInt64(truncatingIfNeeded: identifier))
      }
      writer.key("versions")
      writeList(of: versions, bytesEach: 19, to: &writer) { version, pen in pen.hex(version) }
      if let changeToken { writer.field("changeToken", changeToken) }
      if let cursor { writer.field("cursor", cursor) }
      writer.endObject()
    }
    call.core.broker.didFetch(admission.permit)
  }

  /// Writes a list of strings that need no escapes.
  private static func writeList<Element>(
    of elements: [Element], bytesEach: Int, to writer: inout JSONWriter, _ write: (Element, inout JSONPen) -> Void
  ) {
    writer.stretch(estimate: 2 + elements.count * bytesEach) { pen in
      pen.text("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { pen.text(",\"") } else { pen.text("\"") }
        write(element, &pen)
        pen.text("\"")
      }
      pen.text("]")
    }
  }
}
