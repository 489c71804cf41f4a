import Broker
import BrokerInterface
import Limits
import PhotoModel
import Varlink

/// The methods that only a throw-away broker has.
struct SandboxMethods {
  let environment: SandboxEnvironment
  unowned let core: ServiceCore

  @MethodRows var methods: [Method] {
    Method(Sandbox.GetClock.self, .administration(getClock))
    Method(Sandbox.SetClock.self, .administration(setClock))
    Method(Sandbox.AdvanceClock.self, .administration(advanceClock))
    Method(Sandbox.SetSeed.self, .administration(setSeed))
  }

  private func getClock(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let _: Sandbox.GetClock.Parameters = try call.parameters()
    call.reply(Sandbox.GetClock.Reply(now: environment.now.microseconds))
  }

  private func setClock(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Sandbox.SetClock.Parameters = try call.parameters()
    environment.set(parameters.now)
    _ = core.runDue()
    call.reply(Sandbox.SetClock.Reply(now: environment.now.microseconds))
  }

  private func advanceClock(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Sandbox.AdvanceClock.Parameters = try call.parameters()
    guard environment.advance(parameters.microseconds) else {
      throw .invalid("microseconds", "the clock would leave its range")
    }
    _ = core.runDue()
    call.reply(Sandbox.AdvanceClock.Reply(now: environment.now.microseconds))
  }

  private func setSeed(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Sandbox.SetSeed.Parameters = try call.parameters()
    guard parameters.seed.utf8.count <= SandboxLimits.seedBytes else {
      throw .invalid("seed", "it has at most \(SandboxLimits.seedBytes) bytes")
    }
    environment.setSeed(parameters.seed)
    call.reply(Sandbox.SetSeed.Reply())
  }
}
