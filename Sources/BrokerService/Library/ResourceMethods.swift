import Broker
import BrokerInterface
import Catalogue
import Delivery
import Limits
import Macaroons
import PhotoModel
import UnixSocket
import Varlink

/// Files, pictures and details of assets.
struct ResourceMethods {
  let broker: Broker
  let runtimes: LibraryRuntimes
  let disclosures: Disclosures
  let handedCopies: HandedCopies

  @MethodRows var methods: [Method] {
    Method(Library.GetResources.self, .read, getResources)
    Method(Library.GetDetails.self, .read, getDetails)
    Method(
      Library.OpenResource.self, .read, check: { given, _ throws(CallFailure) in _ = try role(given.role) },
      openResource)
    Method(
      Library.ReadBytes.self, .read, check: { given, _ throws(CallFailure) in _ = try role(given.role) }, readBytes)
    Method(
      Library.StreamResource.self, .read, check: { given, _ throws(CallFailure) in _ = try role(given.role) },
      expectsMore: true, streamResource)
    Method(Library.GetThumbnail.self, .read, getThumbnail)
  }

  /// The resources that an app may get of an asset. An edited asset gives only the edited version,
  /// unless the owner shares originals: an original shows the parts that were edited away (R39).
  /// Sidecars hold places and captions, so they go only to apps from which nothing is withheld.
  private func visible(
    _ resources: [ResourceRecord], in library: LibraryState, without withheld: WithheldFacts
  ) -> [ResourceRecord] {
    let resources = withheld.isEmpty ? resources : resources.filter { $0.role != .sidecar }
    guard resources.contains(where: { $0.role == .edited }), !library.record.sharesOriginals else { return resources }
    return resources.filter { $0.role == .edited }
  }

  private func row(_ asset: String, _ authorized: AuthorizedCall) throws(CallFailure) -> AssetRow {
    guard let identifier = AssetIdentifier(asset) else { throw .broker(.identifierNotFound()) }
    return try decide(authorized.library.assets.asset(authorized.seals.open(identifier), in: authorized.view))
  }

  /// Finds a visible asset's resources. For an invisible asset the call fails, even if the store
  /// has it.
  private func resources(
    _ call: IncomingCall, _ authorized: AuthorizedCall, _ asset: String,
    _ body: @escaping (AuthorizedCall, AssetRow, [ResourceRecord]) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    let row = try row(asset, authorized)
    let answer = call.answering { (resources: [ResourceRecord]) throws(CallFailure) in
      let authorized = try current(authorized, row)
      try body(
        authorized, row, visible(resources, in: authorized.library, without: authorized.permit.withheld))
    }
    runtimes[authorized.library].bytes.resources(of: row, answer)
  }

  /// The authorized renewed after a wait. Another edit of the selection must not fail this call; an
  /// edit that removes this asset must.
  private func current(_ authorized: AuthorizedCall, _ row: AssetRow) throws(CallFailure) -> AuthorizedCall {
    if broker.mayRelease(authorized.permit) { return authorized }
    let now = try decide(authorized.renewed())
    guard now.permit.withheld.isSubset(of: authorized.permit.withheld), now.permit.pixels >= authorized.permit.pixels
    else { throw .broker(.accessEnded) }
    try decide(now.library.assets.asset(row.identifier, in: now.view))
    return now
  }

  /// Also checks that the picked file may still go to apps.
  private func current(
    _ authorized: AuthorizedCall, _ row: AssetRow, _ picked: PickedResource
  ) throws(CallFailure) -> AuthorizedCall {
    let now = try current(authorized, row)
    guard picked.isShown(in: now.library) else { throw .broker(.accessEnded) }
    return now
  }

  private func pick(
    _ resources: [ResourceRecord], _ role: ResourceRole?, of row: AssetRow
  ) throws(CallFailure) -> PickedResource {
    let found = role.map { role in resources.first { $0.role == role } } ?? resources.shown
    guard let found else {
      throw .photos(.missingResource, "The asset has no resource of this role; GetResources lists those it has.")
    }
    return PickedResource(found, among: resources, of: row.number)
  }

  private func getDetails(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.GetDetails.Parameters = try call.parameters()
    let row = try row(parameters.asset, authorized)
    runtimes[authorized.library].bytes.record(of: row) { result in
      call.resume { () throws(CallFailure) in
        let record = try decide(result.get())
        let authorized = try current(authorized, row)
        try disclosures.noteMetadata([row.facts], authorized.permit)
        let caption = record.caption.flatMap { authorized.permit.withheld.shown(caption: $0) }
        call.reply(
          Library.GetDetails.Reply(caption: caption, withheld: authorized.permit.withheldNames),
          under: authorized.permit)
      }
    }
  }

  /// Finds the file that an app reads.
  /// - Parameter role: Nil: the shown one.
  private func picked(
    _ call: IncomingCall, _ authorized: AuthorizedCall, _ asset: String, _ role: String?,
    _ body: @escaping (AuthorizedCall, AssetRow, PickedResource) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    let role = try self.role(role)
    try resources(call, authorized, asset) { (authorized, row, resources) throws(CallFailure) in
      guard !authorized.permit.withheld.contains(.files) else {
        throw .photos(
          .requestNotSupportedForAsset,
          "This app gets pictures of the photos, and not their files; GetThumbnail gives a picture.")
      }
      try body(authorized, row, pick(resources, role, of: row))
    }
  }

  private func getResources(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.GetResources.Parameters = try call.parameters()
    try resources(call, authorized, parameters.asset) { (authorized, row, resources) throws(CallFailure) in
      try disclosures.noteMetadata([row.facts], authorized.permit)
      let shown = authorized.permit.withheld.contains(.files) ? [] : resources
      call.reply(
        Library.GetResources.Reply(
          resources: shown.map {
            Library.Resource(role: $0.role.rawValue, filename: $0.filename, contentType: $0.contentType, size: $0.size)
          }, withheld: authorized.permit.withheldNames), under: authorized.permit)
    }
  }

  /// Gets a copy of a resource: the cached one at once, else a new one from a worker.
  private func copy(
    _ call: IncomingCall, _ authorized: AuthorizedCall, _ row: AssetRow, _ picked: PickedResource,
    _ body: @escaping (AuthorizedCall, SealedCopy) throws(CallFailure) -> Void
  ) {
    let bytes = runtimes[authorized.library].bytes
    bytes.copy(of: picked.resource, asset: row.number, for: ByteRecipient(call, authorized.permit)) { result in
      call.resume { () throws(CallFailure) in
        // If the reading was cancelled because access ended, the call fails with that reason.
        let authorized = try current(authorized, row, picked)
        try body(authorized, decide(result.get()))
      }
    }
  }

  /// Takes bytes from the token's budget before they are delivered.
  private func count(
    _ bytes: Int64, of picked: PickedResource, _ row: AssetRow, _ call: IncomingCall, _ authorized: AuthorizedCall,
    _ body: @escaping (AuthorizedCall) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    guard authorized.permit.isCounted else { return try body(authorized) }
    broker.budgets.spend(bytes, .bytes, under: authorized.permit) { result in
      call.resume { () throws(CallFailure) in
        try decide(result.get())
        try body(current(authorized, row, picked))
      }
    }
  }

  private func openResource(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.OpenResource.Parameters = try call.parameters()
    try picked(call, authorized, parameters.asset, parameters.role) {
      (authorized, row, picked) throws(CallFailure) in
      copy(call, authorized, row, picked) { (authorized, copy) throws(CallFailure) in
        try count(Int64(copy.byteCount), of: picked, row, call, authorized) { authorized throws(CallFailure) in
          // Before the ledger's entry, because a refusal hands nothing out.
          let descriptors = try handedCopies.descriptors(of: copy, for: call, authorized.permit)
          try disclosures.note(row.facts, picked.resource.role.rawValue, Int64(copy.byteCount), authorized.permit)
          call.reply(
            Library.OpenResource.Reply(
              descriptor: 0, size: Int64(copy.byteCount), contentType: picked.resource.contentType),
            under: authorized.permit, descriptors: descriptors)
        }
      }
    }
  }

  private func readBytes(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.ReadBytes.Parameters = try call.parameters()
    try picked(call, authorized, parameters.asset, parameters.role) {
      (authorized, row, picked) throws(CallFailure) in
      let library = authorized.library.record.name
      guard call.connection.piecesRead.note(picked.resource, of: row.identifier, in: library, at: parameters.offset)
      else {
        throw .photos(.missingResource, "The file changed since the previous piece; begin again with its first byte.")
      }
      let bytes = runtimes[authorized.library].bytes
      let (offset, length) = (parameters.offset, parameters.length)
      let reader = ByteRecipient(call, authorized.permit)
      bytes.piece(of: picked.resource, asset: row.number, for: reader, offset: offset, length: length) { result in
        call.resume { () throws(CallFailure) in
          let authorized = try current(authorized, row, picked)
          let piece = try decide(result.get())
          try count(Int64(piece.bytes.count), of: picked, row, call, authorized) { authorized throws(CallFailure) in
            try send(piece, from: offset, of: picked, row, call, authorized)
          }
        }
      }
    }
  }

  private func send(
    _ piece: InlinePiece, from offset: Int64, of picked: PickedResource, _ row: AssetRow, _ call: IncomingCall,
    _ authorized: AuthorizedCall
  ) throws(CallFailure) {
    let count = Int64(piece.bytes.count)
    try disclosures.note(row.facts, picked.resource.role.rawValue, count, authorized.permit)
    call.write(under: authorized.permit) { writer in
      writer.beginObject()
      writer.key("data")
      piece.bytes.withUnsafeBytes { writer.write(base64: $0) }
      writer.field("size", piece.wholeByteCount)
      writer.field("isLast", offset + count >= piece.wholeByteCount)
      writer.endObject()
    }
  }

  private func streamResource(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.StreamResource.Parameters = try call.parameters()
    try picked(call, authorized, parameters.asset, parameters.role) {
      (authorized, row, picked) throws(CallFailure) in
      guard !runtimes[authorized.library].bytes.isReadInParts(picked.resource) else {
        return try streamInPieces(picked, row, call, authorized)
      }
      copy(call, authorized, row, picked) { (authorized, copy) throws(CallFailure) in
        try count(Int64(copy.byteCount), of: picked, row, call, authorized) { authorized throws(CallFailure) in
          // An app that reads slowly, or not at all, holds its copy.
          try handedCopies.hand(copy, for: call, authorized.permit)
          try disclosures.note(row.facts, picked.resource.role.rawValue, Int64(copy.byteCount), authorized.permit)
          let source = PipeStream.source(of: copy)
          try StreamSession.start(
            source, size: Int64(copy.byteCount), of: picked, asset: row.number, call: call, authorized: authorized)
        }
      }
    }
  }

  /// Streams a file that is too large to be copied, in pieces. The first piece is read before the
  /// reply, so that the app gets an error for a missing file and no pipe.
  private func streamInPieces(
    _ picked: PickedResource, _ row: AssetRow, _ call: IncomingCall, _ authorized: AuthorizedCall
  ) throws(CallFailure) {
    let (bytes, reader) = (runtimes[authorized.library].bytes, ByteRecipient(call, authorized.permit))
    let length = StreamPiece.bytes
    bytes.piece(of: picked.resource, asset: row.number, for: reader, offset: 0, length: length) { result in
      call.resume { () throws(CallFailure) in
        let authorized = try current(authorized, row, picked)
        let first = try decide(result.get())
        try count(first.wholeByteCount, of: picked, row, call, authorized) { authorized throws(CallFailure) in
          try disclosures.note(row.facts, picked.resource.role.rawValue, first.wholeByteCount, authorized.permit)
          let piece = StreamPiece(first.bytes)
          try StreamSession.start(
            piece.source, size: first.wholeByteCount, of: picked, asset: row.number, call: call, authorized: authorized,
            piece: piece)
        }
      }
    }
  }

  private func getThumbnail(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let parameters: Library.GetThumbnail.Parameters = try call.parameters()
    try resources(call, authorized, parameters.asset) { (authorized, row, resources) throws(CallFailure) in
      let picked = try pick(resources, nil, of: row)
      let pictures = runtimes[authorized.library].pictures
      let pixels = min(Int(parameters.maxPixels), authorized.permit.pixels)
      let reader = ByteRecipient(call, authorized.permit)
      pictures.thumbnail(of: picked.resource, asset: row.number, pixels: pixels, for: reader) { result in
        call.resume { () throws(CallFailure) in
          // If the reading was cancelled because access ended, the call fails with that reason.
          let authorized = try current(authorized, row, picked)
          let picture = try decide(result.get())
          try count(Int64(picture.byteCount), of: picked, row, call, authorized) { authorized throws(CallFailure) in
            try send(picture, of: row, isInline: parameters.inline ?? false, call, authorized)
          }
        }
      }
    }
  }

  private func send(
    _ picture: SealedCopy, of row: AssetRow, isInline: Bool, _ call: IncomingCall, _ authorized: AuthorizedCall
  ) throws(CallFailure) {
    let descriptors = isInline ? nil : try handedCopies.descriptors(of: picture, for: call, authorized.permit)
    try disclosures.note(row.facts, "thumbnail", Int64(picture.byteCount), authorized.permit)
    guard isInline else {
      return call.reply(
        Library.GetThumbnail.Reply(descriptor: 0, size: Int64(picture.byteCount), contentType: "image/jpeg"),
        under: authorized.permit, descriptors: descriptors)
    }
    let bytes: [UInt8]
    do throws(DeliveryError) { bytes = try picture.withBytes { [UInt8]($0) } } catch {
      throw .broker(BrokerError(delivery: error))
    }
    call.write(under: authorized.permit) { writer in
      writer.beginObject()
      writer.key("data")
      bytes.withUnsafeBytes { writer.write(base64: $0) }
      writer.field("size", Int64(bytes.count))
      writer.field("contentType", "image/jpeg")
      writer.endObject()
    }
  }

  private func role(_ name: String?) throws(CallFailure) -> ResourceRole? {
    try CallFailure.named(name, in: "role", by: \ResourceRole.rawValue)
  }
}
