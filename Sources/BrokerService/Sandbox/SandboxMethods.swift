import Broker
import BrokerInterface
import Limits
import PhotoModel
import Varlink

/// The methods that only a throw-away broker has.
enum SandboxMethods {
  static let methods: [Method] = [
    Method(Sandbox.GetClock.self, .administration(getClock)), Method(Sandbox.SetClock.self, .administration(setClock)),
    Method(Sandbox.AdvanceClock.self, .administration(advanceClock)),
    Method(Sandbox.SetSeed.self, .administration(setSeed)),
  ]

  private static func environment(_ call: IncomingCall) throws(CallFailure) -> SandboxEnvironment {
    guard let environment = call.core.environment as? SandboxEnvironment else {
      throw .broker(BrokerError(.notPermitted, "This broker is not a sandbox."))
    }
    return environment
  }

  private static func getClock(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Sandbox.GetClock.Parameters = try call.parameters()
    call.reply(Sandbox.GetClock.Reply(now: try environment(call).now.microseconds))
  }

  private static func setClock(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Sandbox.SetClock.Parameters = try call.parameters()
    let environment = try environment(call)
    environment.set(parameters.now)
    _ = call.core.runDue()
    call.reply(Sandbox.SetClock.Reply(now: environment.now.microseconds))
  }

  private static func advanceClock(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Sandbox.AdvanceClock.Parameters = try call.parameters()
    let environment = try environment(call)
    guard environment.advance(parameters.microseconds) else { throw .invalid("microseconds") }
    _ = call.core.runDue()
    call.reply(Sandbox.AdvanceClock.Reply(now: environment.now.microseconds))
  }

  private static func setSeed(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Sandbox.SetSeed.Parameters = try call.parameters()
    guard parameters.seed.utf8.count <= SandboxLimits.seedBytes else { throw .invalid("seed") }
    try environment(call).setSeed(parameters.seed)
    call.reply(Sandbox.SetSeed.Reply())
  }
}
