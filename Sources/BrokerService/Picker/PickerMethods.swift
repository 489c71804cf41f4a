import Broker
import BrokerInterface
import Catalogue
import Delivery
import Limits
import Macaroons
import PhotoModel
import UnixSocket
import Varlink

/// The methods of `io.photobroker.Picker`, which apps call without any permission.
struct PickerMethods {
  let broker: Broker
  let runtimes: LibraryRuntimes
  let disclosures: Disclosures
  let handedCopies: HandedCopies

  @MethodRows var methods: [Method] {
    Method(Picker.Present.self, .open(present))
    Method(Picker.LoadItem.self, .open(loadItem))
    Method(Picker.ReadItem.self, .open(readItem))
  }

  // MARK: Presenting

  private func present(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Picker.Present.Parameters = try call.parameters()
    let configuration = try configuration(parameters)
    let library = try parameters.library.map { text throws(CallFailure) in
      guard let name = LibraryName(text) else { throw .broker(.libraryNotFound()) }
      return name
    }
    try decide(
      session.presentPicker(
        configuration, library: library,
        waits: { notice in
          guard call.call.more else { return }
          call.reply(
            Picker.Present.Reply(
              results: [], cancelled: false, waiting: Picker.Waiting(owners: notice.owners, shown: notice.isShown)),
            continues: true)
        }
      ) { result in
        guard !call.isClosed else { return }
        result.orFail(call) { outcome in
          pin(outcome.picked[...], call, session) {
            var told = outcome
            // An edit elsewhere in the library renews the permit.
            if let item = told.picked.lazy.compactMap(\.item).first, let now = try? session.picked(item) {
              told.permit = now.permit
            }
            call.attempt { () throws(CallFailure) in try reply(told, to: call) }
          }
        }
      })
  }

  private func configuration(_ parameters: Picker.Present.Parameters) throws(CallFailure) -> PickerConfiguration {
    let limit = parameters.selectionLimit ?? 1
    var types: Set<MediaType> = []
    // An empty list would leave nothing to pick.
    guard parameters.mediaTypes?.isEmpty != true else {
      throw .invalid("mediaTypes", "an empty list leaves nothing to pick; leave it out for all types")
    }
    for name in parameters.mediaTypes ?? [] {
      guard let type = MediaType.pickable[name] else {
        throw .invalid("mediaTypes", name, allowed: MediaType.pickable.keys.sorted())
      }
      types.insert(type)
    }
    let given = parameters.preselected ?? []
    try CallFailure.check(given, has: 0...ServiceLimits.identifiers, "preselected")
    var preselected: [AssetIdentifier] = []
    var known: Set<AssetIdentifier> = []
    for text in given {
      guard let identifier = AssetIdentifier(text) else {
        throw .invalid("preselected", "an entry is no localIdentifier, of 32 lower-case hexadecimal digits")
      }
      if known.insert(identifier).inserted { preselected.append(identifier) }
    }
    return PickerConfiguration(
      selectionLimit: Int(limit), mediaTypes: types, isOrdered: parameters.ordered ?? false,
      givesIdentifiers: parameters.identifiers ?? false, preselected: preselected)
  }

  /// Records the picked version of each file before the app gets the answer. A later version is not
  /// the one that the person saw.
  private func pin(
    _ picked: ArraySlice<PickerOutcome.Picked>, _ call: IncomingCall, _ session: Session, _ then: @escaping () -> Void
  ) {
    guard let index = picked.firstIndex(where: { $0.item != nil }), let item = picked[index].item,
      let row = picked[index].row,
      let library = try? session.picked(item).permit.library
    else { return then() }
    runtimes[library].bytes.resources(of: row) { result in
      if case .success(let resources) = result, let file = resources.shown {
        session.pin(item, to: file.contentVersion)
      }
      guard !call.isClosed else { return }
      let rest = picked[(index + 1)...]
      // Cached answers come synchronously, one call inside the other. A pick of thousands must not
      // use up the stack.
      guard rest.count % 64 != 0 else { return call.core.later { pin(rest, call, session, then) } }
      pin(rest, call, session, then)
    }
  }

  /// One answer with everything (R78). The photos' metadata in it is recorded in the ledger.
  private func reply(_ outcome: PickerOutcome, to call: IncomingCall) throws(CallFailure) {
    let rows = outcome.picked.compactMap(\.row)
    if let permit = outcome.permit {
      for row in rows { try disclosures.note(row.facts, "metadata", 0, permit) }
    }
    let arePictures = outcome.permit?.withheld.contains(.files) ?? false
    let results = outcome.picked.map { picked in
      let name = picked.row?.fileName
      return Picker.Result(
        item: picked.item?.description, localIdentifier: picked.identifier?.description,
        filename: arePictures ? name.map { $0[..<($0.lastIndex(of: ".") ?? $0.endIndex)] + ".jpg" } : name,
        mediaType: picked.row?.mediaType.name, pixelWidth: Int64(picked.row?.width ?? 0),
        pixelHeight: Int64(picked.row?.height ?? 0),
        duration: picked.row.flatMap { $0.mediaType == .video ? Double($0.durationMilliseconds) / 1_000 : nil })
    }
    call.reply(
      Picker.Present.Reply(
        results: results, cancelled: outcome.isCancelled, expires: outcome.expires?.microseconds,
        withheld: outcome.permit?.withheldNames),
      under: outcome.permit)
  }

  // MARK: Loading

  private func loadItem(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Picker.LoadItem.Parameters = try call.parameters()
    try find(parameters.item, call, session) { (resource, row, permit) throws(CallFailure) in
      let report: (Int) -> Void = { received in
        guard call.call.more, !call.isClosed, call.connection.outbox.isEmpty, broker.mayRelease(permit) else {
          return
        }
        call.reply(
          Picker.LoadItem.Reply(
            received: Int64(received), size: resource.size, contentType: resource.contentType, isComplete: false),
          under: permit, continues: true)
      }
      let (runtime, reader) = (runtimes[permit.library], ByteRecipient(call, permit))
      let isPicture = permit.withheld.contains(.files)
      let contentType = isPicture ? "image/jpeg" : resource.contentType
      let answer = { (result: Result<SealedCopy, BrokerError>) in
        finish(parameters.item, result, call, session) { (copy, row, permit) throws(CallFailure) in
          let descriptors = try handedCopies.descriptors(of: copy, for: call, permit)
          let size = Int64(copy.byteCount)
          try disclosures.note(row.facts, isPicture ? "thumbnail" : resource.role.rawValue, size, permit)
          call.reply(
            Picker.LoadItem.Reply(
              descriptor: 0, received: size, size: size, contentType: contentType, isComplete: true),
            under: permit, descriptors: descriptors)
        }
      }
      guard !isPicture else {
        return runtime.pictures.thumbnail(
          of: resource, asset: row.number, pixels: permit.pixels, for: reader, answer)
      }
      runtime.bytes.copy(of: resource, asset: row.number, for: reader, progress: report, answer)
    }
  }

  private func readItem(_ call: IncomingCall, _ session: Session) throws(CallFailure) {
    let parameters: Picker.ReadItem.Parameters = try call.parameters()
    try find(parameters.item, call, session) { (resource, row, permit) throws(CallFailure) in
      let (runtime, reader) = (runtimes[permit.library], ByteRecipient(call, permit))
      let (offset, length) = (parameters.offset, parameters.length)
      let isPicture = permit.withheld.contains(.files)
      let answer = { (result: Result<InlinePiece, BrokerError>) in
        finish(parameters.item, result, call, session) { (piece, row, permit) throws(CallFailure) in
          let count = Int64(piece.bytes.count)
          try disclosures.note(row.facts, isPicture ? "thumbnail" : resource.role.rawValue, count, permit)
          call.write(under: permit) { writer in
            writer.beginObject()
            writer.key("data")
            piece.bytes.withUnsafeBytes { writer.write(base64: $0) }
            writer.field("isLast", offset + count >= piece.wholeByteCount)
            writer.endObject()
          }
        }
      }
      guard !isPicture else {
        return runtime.pictures.thumbnail(of: resource, asset: row.number, pixels: permit.pixels, for: reader) {
          result in answer(result.flatMap { InlinePiece.part(of: $0, offset: offset, length: length) })
        }
      }
      runtime.bytes.piece(of: resource, asset: row.number, for: reader, offset: offset, length: length, answer)
    }
  }

  /// Finds an item's file in its picked version. With `more` the app gets the progress of a slow
  /// storage (R91).
  private func find(
    _ text: String, _ call: IncomingCall, _ session: Session,
    _ body: @escaping (ResourceRecord, AssetRow, Permit) throws(CallFailure) -> Void
  ) throws(CallFailure) {
    let (row, _, permit) = try decide(session.picked(item(text)))
    runtimes[permit.library].bytes.resources(of: row) { result in
      call.resume { () throws(CallFailure) in
        let resources = try decide(result.get())
        let version = try decide(session.picked(item(text)).contentVersion)
        guard let resource = resources.shown, resource.contentVersion == version else {
          throw .photos(.missingResource, "The photo changed or is gone since it was picked; open the picker again.")
        }
        try body(resource, row, permit)
      }
    }
  }

  /// Answers with the result, if the item still belongs to the app after the wait.
  private func finish<T>(
    _ text: String, _ result: Result<T, BrokerError>, _ call: IncomingCall, _ session: Session,
    _ body: (T, AssetRow, Permit) throws(CallFailure) -> Void
  ) {
    call.resume { () throws(CallFailure) in
      let (row, _, permit) = try decide(session.picked(item(text)))
      if case .failure(let error) = result, error.isNotCleaned { try disclosures.noteNotCleaned(row.facts, permit) }
      try body(try decide(result.get()), row, permit)
    }
  }

  /// A malformed identifier gets the same answer as an unknown one.
  private func item(_ text: String) -> AppIdentifier { AppIdentifier(text) ?? AppIdentifier(high: 0, low: 0) }
}

extension MediaType {
  fileprivate static let pickable: [String: MediaType] = ["image": .image, "video": .video]
}
