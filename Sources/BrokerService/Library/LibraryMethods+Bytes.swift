import Broker
import BrokerInterface
import Catalogue
import Delivery
import Glibc
import Limits
import Macaroons
import PhotoModel
import UnixSocket
import Varlink

extension LibraryMethods {
  static let bytes: [Method] = [
    Method(
      Library.GetResources.self, .read,
      check: { call throws(CallFailure) in let _: Library.GetResources.Parameters = try call.parameters() },
      getResources),
    Method(
      Library.GetDetails.self, .read,
      check: { call throws(CallFailure) in let _: Library.GetDetails.Parameters = try call.parameters() }, getDetails),
    Method(
      Library.OpenResource.self, .read, check: { call throws(CallFailure) in _ = try openParameters(call) },
      openResource),
    Method(
      Library.ReadBytes.self, .read, check: { call throws(CallFailure) in _ = try readParameters(call) }, readBytes),
    Method(
      Library.StreamResource.self, .read, check: { call throws(CallFailure) in _ = try streamParameters(call) },
      expectsMore: true,
      streamResource),
    Method(
      Library.GetThumbnail.self, .read,
      check: { call throws(CallFailure) in let _: Library.GetThumbnail.Parameters = try call.parameters() },
      getThumbnail),
  ]

  /// The resources that an app may get of an asset. An edited asset gives only the edited version,
  /// unless the owner shares originals: an original shows the parts that were edited away (R39).
  private static func visible(_ resources: [ResourceRecord], in library: LibraryState) -> [ResourceRecord] {
    guard resources.contains(where: { $0.role == .edited }), !library.record.sharesOriginals else { return resources }
    return resources.filter { $0.role == .edited }
  }

  private static func row(_ asset: String, _ admission: Admission) throws(CallFailure) -> AssetRow {
    guard let identifier = AssetIdentifier(asset) else { throw .broker(.identifierNotFound()) }
    return try decide(admission.library.asset(admission.seals.open(identifier), in: admission.view))
  }

  /// Finds a visible asset's resources. For an invisible asset the call fails, even if the store
  /// has it.
  private static func resources(
    _ call: IncomingCall, _ admission: Admission, _ asset: String,
    _ body: @escaping (Admission, AssetRow, [ResourceRecord]) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    let row = try row(asset, admission)
    call.core.runtime(admission.library).bytes.resources(of: row) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let resources):
        call.attempt { () throws(CallFailure) in
          try body(current(admission, row, call), row, visible(resources, in: admission.library))
        }
      }
    }
  }

  /// The admission renewed after a wait. Another edit of the selection must not fail this call; an
  /// edit that removes this asset must.
  private static func current(
    _ admission: Admission, _ row: AssetRow, _ call: IncomingCall
  ) throws(CallFailure) -> Admission {
    if call.core.broker.mayRelease(admission.permit) { return admission }
    let now = try decide(admission.renewed())
    try decide(now.library.asset(row.identifier, in: now.view))
    return now
  }

  /// Also checks that the picked file may still go to apps.
  private static func current(
    _ admission: Admission, _ row: AssetRow, _ picked: PickedResource, _ call: IncomingCall
  ) throws(CallFailure) -> Admission {
    let now = try current(admission, row, call)
    guard picked.isShown(in: now.library) else { throw .broker(.accessEnded) }
    return now
  }

  private static func pick(_ resources: [ResourceRecord], _ role: String?, of row: AssetRow) throws(CallFailure)
    -> PickedResource
  {
    let found: ResourceRecord?
    if let role = try self.role(role) {
      found = resources.first { $0.role == role }
    } else {
      found = resources.shown
    }
    guard let found else {
      throw .broker(
        .photos(.missingResource, "The asset has no resource of this role; GetResources lists those it has."))
    }
    return PickedResource(found, among: resources, of: row.number)
  }

  private static func getDetails(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.GetDetails.Parameters = try call.parameters()
    let row = try row(parameters.asset, admission)
    call.core.runtime(admission.library).bytes.record(of: row) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        let record = try decide(result.get())
        let admission = try current(admission, row, call)
        guard call.core.disclosures.noteMetadata([row.facts], admission.permit) else {
          throw .broker(.ledgerUnavailable)
        }
        call.reply(Library.GetDetails.Reply(caption: record.shownCaption), under: admission.permit)
      }
    }
  }

  private static func getResources(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.GetResources.Parameters = try call.parameters()
    try resources(call, admission, parameters.asset) { (admission, row, resources) throws(CallFailure) in
      guard call.core.disclosures.noteMetadata([row.facts], admission.permit) else { throw .broker(.ledgerUnavailable) }
      call.reply(
        Library.GetResources.Reply(
          resources: resources.map {
            Library.Resource(role: $0.role.rawValue, filename: $0.filename, contentType: $0.contentType, size: $0.size)
          }), under: admission.permit)
    }
  }

  /// Gets a copy of a resource: the cached one at once, else a new one from a worker.
  private static func copy(
    _ call: IncomingCall, _ admission: Admission, _ row: AssetRow, _ picked: PickedResource,
    _ body: @escaping (Admission, SealedCopy) throws(CallFailure) -> Void
  ) {
    let bytes = call.core.runtime(admission.library).bytes
    bytes.copy(of: picked.resource, asset: row.number, for: ByteReader(call, admission.app)) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        // If the reading was cancelled because access ended, the call fails with that reason.
        let admission = try current(admission, row, picked, call)
        try body(admission, decide(result.get()))
      }
    }
  }

  private static func openResource(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters = try openParameters(call)
    try resources(call, admission, parameters.asset) { (admission, row, resources) throws(CallFailure) in
      let picked = try pick(resources, parameters.role, of: row)
      copy(call, admission, row, picked) { (admission, copy) throws(CallFailure) in
        // Before the ledger's entry, because a refusal hands nothing out.
        let descriptors = try shared(copy, call, admission.permit)
        guard
          call.core.disclosures.note(row.facts, picked.resource.role.rawValue, Int64(copy.byteCount), admission.permit)
        else {
          throw .broker(.ledgerUnavailable)
        }
        call.reply(
          Library.OpenResource.Reply(
            descriptor: 0, size: Int64(copy.byteCount), contentType: picked.resource.contentType),
          under: admission.permit, descriptors: descriptors)
      }
    }
  }

  /// A descriptor for one message; the copy keeps its own.
  static func shared(_ copy: SealedCopy, _ call: IncomingCall, _ permit: Permit) throws(CallFailure)
    -> SharedDescriptors
  {
    try countHeld(copy, call, permit)
    do { return SharedDescriptors(try copy.opened()) } catch {
      throw .broker(.photos(.internalError, "The broker has too many files open; try again in a moment."))
    }
  }

  /// Counts a copy against the user's quota, for as long as the app holds or streams it.
  /// - Throws: `limitExceeded` if the user's programs hold too much.
  private static func countHeld(_ copy: SealedCopy, _ call: IncomingCall, _ permit: Permit) throws(CallFailure) {
    guard call.core.handedCopies.hand(copy, to: call.connection.socket.peer.uid) else {
      // Cached copies count too. Without them the next attempt may succeed.
      call.core.runtime(permit.library).bytes.dropCopies(of: permit.app)
      throw .broker(
        .photos(
          .limitExceeded,
          "Programs of this user hold \(ServiceLimits.handedBytesPerUser >> 20) MiB of opened photos, which is the "
            + "limit; close some, or read in pieces."
        ))
    }
  }

  private static func readBytes(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters = try readParameters(call)
    try resources(call, admission, parameters.asset) { (admission, row, resources) throws(CallFailure) in
      let picked = try pick(resources, parameters.role, of: row)
      let library = admission.library.record.name
      guard call.connection.piecesRead.note(picked.resource, of: row.identifier, in: library, at: parameters.offset)
      else {
        throw .broker(
          .photos(
            .missingResource, "The file changed since the previous piece; begin again with its first byte."))
      }
      let bytes = call.core.runtime(admission.library).bytes
      let (offset, length) = (parameters.offset, parameters.length)
      let reader = ByteReader(call, admission.app)
      bytes.piece(of: picked.resource, asset: row.number, for: reader, offset: offset, length: length) { result in
        guard !call.isClosed else { return }
        call.attempt { () throws(CallFailure) in
          let admission = try current(admission, row, picked, call)
          let piece = try decide(result.get())
          try send(piece, from: offset, of: picked, row, call, admission)
        }
      }
    }
  }

  private static func send(
    _ piece: InlinePiece, from offset: Int64, of picked: PickedResource, _ row: AssetRow, _ call: IncomingCall,
    _ admission: Admission
  ) throws(CallFailure) {
    let count = Int64(piece.bytes.count)
    guard call.core.disclosures.note(row.facts, picked.resource.role.rawValue, count, admission.permit) else {
      throw .broker(.ledgerUnavailable)
    }
    call.write(under: admission.permit) { writer in
      writer.beginObject()
      writer.key("data")
      piece.bytes.withUnsafeBytes { writer.write(base64: $0) }
      writer.field("size", piece.wholeByteCount)
      writer.field("isLast", offset + count >= piece.wholeByteCount)
      writer.endObject()
    }
  }

  private static func streamResource(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters = try streamParameters(call)
    try resources(call, admission, parameters.asset) { (admission, row, resources) throws(CallFailure) in
      let picked = try pick(resources, parameters.role, of: row)
      guard !call.core.runtime(admission.library).bytes.isReadInParts(picked.resource) else {
        return try streamInPieces(picked, row, call, admission)
      }
      copy(call, admission, row, picked) { (admission, copy) throws(CallFailure) in
        // An app that reads slowly, or not at all, holds its copy.
        try countHeld(copy, call, admission.permit)
        guard
          call.core.disclosures.note(row.facts, picked.resource.role.rawValue, Int64(copy.byteCount), admission.permit)
        else {
          throw .broker(.ledgerUnavailable)
        }
        let source = PipeStream.source(of: copy)
        try StreamSession.start(
          source, size: Int64(copy.byteCount), of: picked, asset: row.number, call: call, admission: admission)
      }
    }
  }

  /// Streams a file that is too large to be copied, in pieces. The first piece is read before the
  /// reply, so that the app gets an error for a missing file and no pipe.
  private static func streamInPieces(
    _ picked: PickedResource, _ row: AssetRow, _ call: IncomingCall, _ admission: Admission
  ) throws(CallFailure) {
    let (bytes, reader) = (call.core.runtime(admission.library).bytes, ByteReader(call, admission.app))
    let length = StreamPiece.bytes
    bytes.piece(of: picked.resource, asset: row.number, for: reader, offset: 0, length: length) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        let admission = try current(admission, row, picked, call)
        let first = try decide(result.get())
        guard
          call.core.disclosures.note(row.facts, picked.resource.role.rawValue, first.wholeByteCount, admission.permit)
        else {
          throw .broker(.ledgerUnavailable)
        }
        let piece = StreamPiece(first.bytes)
        try StreamSession.start(
          piece.source, size: first.wholeByteCount, of: picked, asset: row.number, call: call, admission: admission,
          piece: piece)
      }
    }
  }

  private static func getThumbnail(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.GetThumbnail.Parameters = try call.parameters()
    let pixels = Int(parameters.maxPixels)
    try resources(call, admission, parameters.asset) { (admission, row, resources) throws(CallFailure) in
      let picked = try pick(resources, nil, of: row)
      let pictures = call.core.runtime(admission.library).pictures
      let reader = ByteReader(call, admission.app)
      pictures.thumbnail(of: picked.resource, asset: row.number, pixels: pixels, for: reader) { result in
        guard !call.isClosed else { return }
        call.attempt { () throws(CallFailure) in
          // If the reading was cancelled because access ended, the call fails with that reason.
          let admission = try current(admission, row, picked, call)
          switch result {
          case .failure(let error): throw .broker(error)
          case .success(let picture):
            let isInline = parameters.inline ?? false
            let descriptors = isInline ? nil : try shared(picture, call, admission.permit)
            guard call.core.disclosures.note(row.facts, "thumbnail", Int64(picture.byteCount), admission.permit) else {
              throw .broker(.ledgerUnavailable)
            }
            if isInline {
              let bytes: [UInt8]
              do throws(DeliveryError) { bytes = try picture.withBytes { [UInt8]($0) } } catch {
                throw .broker(BrokerError(delivery: error))
              }
              call.write(under: admission.permit) { writer in
                writer.beginObject()
                writer.key("data")
                bytes.withUnsafeBytes { writer.write(base64: $0) }
                writer.field("size", Int64(bytes.count))
                writer.field("contentType", "image/jpeg")
                writer.endObject()
              }
            } else {
              call.reply(
                Library.GetThumbnail.Reply(descriptor: 0, size: Int64(picture.byteCount), contentType: "image/jpeg"),
                under: admission.permit, descriptors: descriptors)
            }
          }
        }
      }
    }
  }

  // MARK: Parameters that need no right

  private static func openParameters(_ call: IncomingCall) throws(CallFailure) -> Library.OpenResource.Parameters {
    let parameters: Library.OpenResource.Parameters = try call.parameters()
    _ = try role(parameters.role)
    return parameters
  }

  private static func streamParameters(_ call: IncomingCall) throws(CallFailure) -> Library.StreamResource.Parameters {
    let parameters: Library.StreamResource.Parameters = try call.parameters()
    _ = try role(parameters.role)
    return parameters
  }

  private static func readParameters(_ call: IncomingCall) throws(CallFailure) -> Library.ReadBytes.Parameters {
    let parameters: Library.ReadBytes.Parameters = try call.parameters()
    _ = try role(parameters.role)
    return parameters
  }

  private static func role(_ name: String?) throws(CallFailure) -> ResourceRole? {
    guard let name else { return nil }
    guard let role = ResourceRole(rawValue: name) else { throw .invalid("role") }
    return role
  }
}
