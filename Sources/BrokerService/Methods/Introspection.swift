import BrokerInterface
import Limits
import Varlink

/// `org.varlink.service`, on both sockets.
enum Introspection {
  static let methods: [Method] = [
    Method(VarlinkService.GetInfo.self, .introspection(getInfo)),
    Method(VarlinkService.GetInterfaceDescription.self, .introspection(getInterfaceDescription)),
  ]

  private static func getInfo(_ call: IncomingCall) throws(CallFailure) {
    let _: VarlinkService.GetInfo.Parameters = try call.parameters()
    call.reply(
      VarlinkService.GetInfo.Reply(
        vendor: "PhotoBroker", product: "photobrokerd", version: Product.version, url: "",
        interfaces: call.core.table(of: call.connection).interfaces.map(\.name)))
  }

  private static func getInterfaceDescription(_ call: IncomingCall) throws(CallFailure) {
    let parameters: VarlinkService.GetInterfaceDescription.Parameters = try call.parameters()
    guard let found = call.core.table(of: call.connection).interfaces.first(where: { $0.name == parameters.interface })
    else {
      throw .service(.interfaceNotFound(interface: parameters.interface))
    }
    call.reply(VarlinkService.GetInterfaceDescription.Reply(description: found.text))
  }
}
