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
      Library.AddAsset.self,
      need: { call throws(CallFailure) in
        let parameters: Library.AddAsset.Parameters = try Creation.parameters(of: call)
        return Method.Need(verbs: .add, level: try AdminParameters.level(parameters.level))
      }, check: { call throws(CallFailure) in _ = try addition(call) }, addAsset),
    Method(
      Library.BeginUpload.self, .add,
      check: { call throws(CallFailure) in let _: Library.BeginUpload.Parameters = try call.parameters() }, beginUpload),
    Method(
      Library.AppendUpload.self, .add, check: { call throws(CallFailure) in _ = try appendParameters(call) },
      appendUpload),
  ]

  private static func addition(_ call: IncomingCall) throws(CallFailure) -> (creation: Creation, dryRun: Bool) {
    let parameters: Library.AddAsset.Parameters = try Creation.parameters(of: call)
    let creation = try Creation(parameters)
    try Creation.check([creation], call)
    return (creation, parameters.dryRun ?? false)
  }

  private static func addAsset(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let (creation, dryRun) = try addition(call)
    let request = creatingRequest([.createAsset(AssetCreation())], dryRun: dryRun, hasFolder: false, call, admission)
    try create([creation], request, call) { result in
      switch result {
      case .failure(let error): call.fail(error)
      case .success(let outcome):
        let identifier = dryRun ? "" : outcome.createdAssets.first?.description ?? ""
        // The grant may have changed since. The reply needs its present permit.
        let now = (try? admission.renewed()) ?? admission
        call.reply(Library.AddAsset.Reply(localIdentifier: identifier), under: now.permit)
      }
    }
  }

  // MARK: Creating assets

  static func creatingRequest(
    _ steps: [ChangeStep], dryRun: Bool, hasFolder: Bool = true, _ call: IncomingCall, _ admission: Admission
  ) -> CreatingRequest {
    let (core, library) = (call.core, admission.library)
    return CreatingRequest(
      steps: steps, library: library, grant: admission.grant, narrowing: admission.narrowing, app: admission.app,
      user: call.connection.socket.peer.uid, dryRun: dryRun, hasFolder: hasFolder, refusal: { admission.refusal },
      joining: { core.broker.joiningGrant(of: admission.app, in: library.record.name) })
  }

  static func create(
    _ creations: [Creation], _ request: CreatingRequest, _ call: IncomingCall,
    _ completion: @escaping (Result<ChangeOutcome, BrokerError>) -> Void
  ) throws(CallFailure) {
    let runtime = call.core.runtime(request.library)
    runtime.uploads.takeOver(try Creation.take(creations, call), of: request.app, on: call.connection) { result in
      guard !call.isClosed else { return }
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let coming): runtime.creation.perform(request, coming, completion)
      }
    }
  }

  // MARK: Uploads

  private static func beginUpload(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let _: Library.BeginUpload.Parameters = try call.parameters()
    guard let upload = call.connection.uploads.begin() else {
      throw .broker(
        .photos(
          .limitExceeded,
          "A connection has at most \(ServiceLimits.uploadsPerConnection) uploads at a time; finish one."))
    }
    call.reply(Library.BeginUpload.Reply(upload: upload), under: admission.permit)
  }

  private static func appendParameters(_ call: IncomingCall) throws(CallFailure) -> (upload: String, bytes: [UInt8]) {
    let parameters: Library.AppendUpload.Parameters = try call.parameters()
    guard let bytes = Base64.decode(parameters.data), bytes.count <= ServiceLimits.pieceBytes else {
      throw .invalid("data")
    }
    guard call.connection.uploads.isOpen(parameters.upload) else { throw .invalid("upload") }
    return (parameters.upload, bytes)
  }

  private static func appendUpload(_ call: IncomingCall, _ admission: Admission) throws(CallFailure) {
    let (upload, bytes) = try appendParameters(call)
    let uid = call.connection.socket.peer.uid
    guard call.core.uploads.take(bytes.count, for: uid) else {
      throw .broker(
        .photos(
          .limitExceeded,
          "A user's uploads hold at most \(ServiceLimits.uploadBytesPerUser) bytes; pass a descriptor instead."))
    }
    guard let received = call.connection.uploads.append(bytes, to: upload) else {
      call.core.uploads.giveBack(bytes.count, of: uid)
      throw .broker(
        .photos(
          .limitExceeded,
          "A connection's uploads hold at most \(ServiceLimits.uploadBytes) bytes; pass a descriptor instead."))
    }
    call.reply(Library.AppendUpload.Reply(received: Int64(received)), under: admission.permit)
  }
}
