import BrokerInterface

/// What apps can call: the whole table of photobroker.sock.
enum LibraryMethods {
  static let table = MethodTable(
    Introspection.methods + authorization + fetching + bytes + changing + adding + observing,
    interfaces: [
      (Library.interfaceName, Library.interfaceText), (VarlinkService.interfaceName, VarlinkService.interfaceText),
    ])
}
