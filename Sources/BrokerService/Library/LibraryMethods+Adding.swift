import Broker
import BrokerInterface
import Delivery
import Limits
import Macaroons
import PhotoModel
import UnixSocket
import Varlink

extension LibraryMethods {
  static let adding: [Method] = [
    Method(
      Library.AddAsset.name,
      need: { call throws(CallFailure) in
        let parameters: Library.AddAsset.Parameters = try call.parameters()
        return Method.Need(verbs: .add, level: try AdminParameters.level(parameters.level))
      }, check: { call throws(CallFailure) in try checkAsset(call) }, addAsset),
    Method(
      Library.BeginUpload.name, .add,
      check: { call throws(CallFailure) in let _: Library.BeginUpload.Parameters = try call.parameters() }, beginUpload),
    Method(Library.AppendUpload.name, .add, check: { call throws(CallFailure) in _ = try appendParameters(call) }, appendUpload),
  ]

  private static func addAsset(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let parameters: Library.AddAsset.Parameters = try call.parameters()
    try checkName(parameters.filename)
    let runtime = call.core.runtime(admission.library)
    switch (parameters.descriptor, parameters.contents, parameters.upload) {
    case (let index?, nil, nil):
      guard index == 0, let descriptor = call.connection.takeDescriptor() else { throw .invalid("descriptor") }
      runtime.receive(HandedDescriptor(descriptor), of: admission.app, on: call.connection) { take($0, parameters, call, admission) }
    case (nil, let contents?, nil):
      guard let bytes = Base64.decode(contents) else { throw .invalid("contents") }
      runtime.seal(SentBytes(pieces: [bytes]), of: admission.app, on: call.connection) { take($0, parameters, call, admission) }
    case (nil, nil, let upload?):
      guard let pieces = call.connection.uploads.take(upload) else { throw .invalid("upload") }
      let sent = SentBytes(upload: pieces, of: call.connection.socket.peer.uid, in: call.core)
      runtime.seal(sent, of: admission.app, on: call.connection) { take($0, parameters, call, admission) }
    default: throw .invalid("contents")
    }
  }

  static func checkName(_ name: String) throws(CallFailure) {
    guard (1...ServiceLimits.addedNameBytes).contains(name.utf8.count), !name.hasPrefix("."),
      !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == UInt8(ascii: "/") })
    else { throw .invalid("filename") }
  }

  /// What can be said of the parameters before anything is taken.
  private static func checkAsset(_ call: IncomingCall) throws(CallFailure) {
    let parameters: Library.AddAsset.Parameters = try call.parameters()
    try checkName(parameters.filename)
    switch (parameters.descriptor, parameters.contents, parameters.upload) {
    case (let index?, nil, nil): guard index == 0 else { throw .invalid("descriptor") }
    case (nil, let contents?, nil): guard Base64.decode(contents) != nil else { throw .invalid("contents") }
    case (nil, nil, let upload?): guard call.connection.uploads.isOpen(upload) else { throw .invalid("upload") }
    default: throw .invalid("contents")
    }
  }

  private static func take(
    _ incoming: Result<SealedCopy, BrokerError>, _ parameters: Library.AddAsset.Parameters, _ call: IncomingCall, _ admission: Admission
  ) {
    guard !call.isClosed else { return }
    switch incoming {
    case .failure(let error): call.fail(error)
    case .success(let copy):
      let core = call.core
      guard let share = core.comingBytes.take(copy.byteCount, of: admission.app, user: call.connection.socket.peer.uid) else {
        return call.fail(.comingTooMuch)
      }
      // Access may have ended while the bytes came, or while they are looked into.
      let proceed = { () throws(BrokerError) -> GrantState? in
        _ = try admission.renewed()
        return core.broker.joiningGrant(of: admission.app, in: admission.library.record.name)
      }
      core.runtime(admission.library).add(
        copy, name: parameters.filename, by: admission.app, dryRun: parameters.dryRun ?? false, proceed: proceed
      ) { result in
        // Until here the copy was held.
        withExtendedLifetime(share) {}
        call.attempt { () throws(CallFailure) in
          let identifier = try decide { () throws(BrokerError) in
            guard let added = try result.get() else { return "" }
            return try admission.seals.seal(added).description
          }
          // What was added under this admission is told under the one that holds now.
          let now = (try? admission.renewed()) ?? admission
          call.reply(Library.AddAsset.Reply(localIdentifier: identifier), under: now.permit)
        }
      }
    }
  }

  private static func beginUpload(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let _: Library.BeginUpload.Parameters = try call.parameters()
    guard let upload = call.connection.uploads.begin() else {
      throw .broker(
        .photos(.limitExceeded, "A connection has at most \(ServiceLimits.uploadsPerConnection) uploads at a time; finish one."))
    }
    call.reply(Library.BeginUpload.Reply(upload: upload), under: admission.permit)
  }

  private static func appendParameters(_ call: IncomingCall) throws(CallFailure) -> (upload: String, bytes: [UInt8]) {
    let parameters: Library.AppendUpload.Parameters = try call.parameters()
    guard let bytes = Base64.decode(parameters.data), bytes.count <= ServiceLimits.pieceBytes else { throw .invalid("data") }
    guard call.connection.uploads.isOpen(parameters.upload) else { throw .invalid("upload") }
    return (parameters.upload, bytes)
  }

  private static func appendUpload(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let (upload, bytes) = try appendParameters(call)
    let uid = call.connection.socket.peer.uid
    guard call.core.reserveUpload(bytes.count, for: uid) else {
      throw .broker(
        .photos(.limitExceeded, "A user's uploads hold at most \(ServiceLimits.uploadBytesPerUser) bytes; pass a descriptor instead."))
    }
    guard let received = call.connection.uploads.append(bytes, to: upload) else {
      call.core.releaseUpload(bytes.count, of: uid)
      throw .broker(
        .photos(.limitExceeded, "A connection's uploads hold at most \(ServiceLimits.uploadBytes) bytes; pass a descriptor instead."))
    }
    call.reply(Library.AppendUpload.Reply(received: Int64(received)), under: admission.permit)
  }
}
