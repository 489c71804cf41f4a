import BrokerInterface

/// What owners and administrators can call: the whole table of admin.sock.
enum AdminMethods {
  static let table = MethodTable(
    Introspection.methods + libraries + apps + grants + selections + prompts + tokens + records + rules
      + owners + state,
    interfaces: [
      (Admin.interfaceName, Admin.interfaceText), (VarlinkService.interfaceName, VarlinkService.interfaceText),
    ])
}
