import Broker
import BrokerInterface
import Delivery
import Limits
import Macaroons
import PhotoModel
import UnixSocket
import Varlink

/// Single assets that apps add, and uploads.
struct AdditionMethods {
  let creations: CreationRequests

  @MethodRows var methods: [Method] {
    Method(
      Library.AddAsset.self,
      need: { call throws(CallFailure) in
        let parameters: Library.AddAsset.Parameters = try Creation.parameters(of: call)
        return Method.Need(verbs: .add, level: try AdminParameters.level(parameters.level))
      }, check: { call throws(CallFailure) in _ = try addition(call) }, addAsset)
    Method(Library.BeginUpload.self, .add, beginUpload)
    Method(
      Library.AppendUpload.self, .add, check: { _, call throws(CallFailure) in _ = try appendParameters(call) },
      appendUpload)
  }

  private func addition(_ call: IncomingCall) throws(CallFailure) -> (creation: Creation, dryRun: Bool) {
    let parameters: Library.AddAsset.Parameters = try Creation.parameters(of: call)
    let creation = try Creation(parameters)
    try Creation.check([creation], call)
    return (creation, parameters.dryRun ?? false)
  }

  private func addAsset(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let (creation, dryRun) = try addition(call)
    let request = creations.request([.createAsset(AssetCreation())], dryRun: dryRun, hasFolder: false, call, authorized)
    let answer = call.answering { (outcome: ChangeOutcome) in
      let identifier = dryRun ? "" : outcome.createdAssets.first?.description ?? ""
      // The grant may have changed since. The reply needs its present permit.
      let now = (try? authorized.renewed()) ?? authorized
      call.reply(Library.AddAsset.Reply(localIdentifier: identifier), under: now.permit)
    }
    try creations.create([creation], request, call, answer)
  }

  // MARK: Uploads

  private func beginUpload(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let _: Library.BeginUpload.Parameters = try call.parameters()
    guard let upload = call.connection.uploads.begin() else {
      throw .photos(
        .limitExceeded, "A connection has at most \(ServiceLimits.uploadsPerConnection) uploads at a time; finish one.")
    }
    call.reply(Library.BeginUpload.Reply(upload: upload), under: authorized.permit)
  }

  private func appendParameters(_ call: IncomingCall) throws(CallFailure) -> (upload: String, bytes: [UInt8]) {
    let parameters: Library.AppendUpload.Parameters = try call.parameters()
    guard let bytes = Base64.decode(parameters.data), bytes.count <= ServiceLimits.pieceBytes else {
      throw .invalid("data", "it is not base64 of at most \(ServiceLimits.pieceBytes) bytes")
    }
    guard call.connection.uploads.isOpen(parameters.upload) else { throw .invalid("upload", Creation.uploadRule) }
    return (parameters.upload, bytes)
  }

  private func appendUpload(_ call: IncomingCall, _ authorized: AuthorizedCall) throws(CallFailure) {
    let (upload, bytes) = try appendParameters(call)
    let uid = call.connection.socket.peer.uid
    guard call.core.uploads.take(bytes.count, for: uid) else {
      throw .photos(
        .limitExceeded,
        "A user's uploads hold at most \(ServiceLimits.uploadBytesPerUser) bytes; pass a descriptor instead.")
    }
    guard let received = call.connection.uploads.append(bytes, to: upload) else {
      call.core.uploads.giveBack(bytes.count, of: uid)
      throw .photos(
        .limitExceeded,
        "A connection's uploads hold at most \(ServiceLimits.uploadBytes) bytes; pass a descriptor instead.")
    }
    call.reply(Library.AppendUpload.Reply(received: Int64(received)), under: authorized.permit)
  }
}
