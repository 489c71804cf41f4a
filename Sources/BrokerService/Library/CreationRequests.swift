import Broker
import BrokerInterface
import PhotoModel
import UnixSocket

/// Change requests with new assets, and the way of their bytes.
struct CreationRequests {
  private let broker: Broker
  private let runtimes: LibraryRuntimes

  init(core: ServiceCore) { (broker, runtimes) = (core.broker, core.runtimes) }

  func request(
    _ steps: [ChangeStep], dryRun: Bool, hasFolder: Bool = true, _ call: IncomingCall, _ authorized: AuthorizedCall,
    refusal: @escaping () -> BrokerError? = { nil }
  ) -> CreatingRequest {
    let library = authorized.library
    return CreatingRequest(
      steps: steps, library: library, grant: authorized.grant, attenuation: authorized.attenuation, app: authorized.app,
      user: call.connection.socket.peer.uid, dryRun: dryRun, hasFolder: hasFolder,
      refusal: { authorized.refusal ?? refusal() },
      joining: { [broker] in broker.joiningGrant(of: authorized.app, in: library.record.name) })
  }

  func create(
    _ creations: [Creation], _ request: CreatingRequest, _ call: IncomingCall,
    _ completion: @escaping Completion<ChangeOutcome>
  ) throws(CallFailure) {
    let runtime = runtimes[request.library]
    let handed = try Creation.take(creations, call)
    runtime.uploads.takeOver(handed, of: request.app, on: call.connection) { result in
      guard !call.isClosed else { return }
      result.orFail(completion) { coming in runtime.creation.perform(request, coming, completion) }
    }
  }
}
