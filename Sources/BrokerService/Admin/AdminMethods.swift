import BrokerInterface

/// The methods of the owners' socket, `admin.sock`.
enum AdminMethods {
  static let table = MethodTable(
    methods,
    interfaces: [
      (Admin.interfaceName, Admin.interfaceText), (VarlinkService.interfaceName, VarlinkService.interfaceText),
    ])

  /// The methods of a throw-away broker, with the Sandbox interface.
  static let sandboxTable = MethodTable(
    methods + SandboxMethods.methods,
    interfaces: [
      (Admin.interfaceName, Admin.interfaceText), (Sandbox.interfaceName, Sandbox.interfaceText),
      (VarlinkService.interfaceName, VarlinkService.interfaceText),
    ])

  private static let methods =
    Introspection.methods + libraries + offers + apps + grants + selections + prompts + tokens + records + rules
    + owners + state + albums + pickers + page + plugins + pictures
}
