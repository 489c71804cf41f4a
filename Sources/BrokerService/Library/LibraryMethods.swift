import Broker
import BrokerInterface
import PhotoModel

/// The methods of the apps' socket, `photobroker.sock`.
enum LibraryMethods {
  static func table(_ core: ServiceCore) -> MethodTable {
    let (broker, environment, runtimes) = (core.broker, core.environment, core.runtimes)
    let (disclosures, handedCopies) = (core.disclosures, core.handedCopies)
    let creations = CreationRequests(core: core)
    let methods = [
      Introspection.methods, AuthorizationMethods(tokenEnds: core.tokenEnds, disclosures: disclosures).methods,
      FetchMethods(broker: broker, environment: environment, runtimes: runtimes, disclosures: disclosures).methods,
      ResourceMethods(
        broker: broker, runtimes: runtimes, disclosures: disclosures, handedCopies: handedCopies
      ).methods,
      ChangeMethods(runtimes: runtimes, creations: creations).methods, AdditionMethods(creations: creations).methods,
      ObservationMethods(disclosures: disclosures).methods,
      CloudMethods(broker: broker, runtimes: runtimes, disclosures: disclosures).methods,
      PickerMethods(broker: broker, runtimes: runtimes, disclosures: disclosures, handedCopies: handedCopies).methods,
    ]
    return MethodTable(
      methods.flatMap { $0 },
      interfaces: [
        (Library.interfaceName, Library.interfaceText), (Picker.interfaceName, Picker.interfaceText),
        (VarlinkService.interfaceName, VarlinkService.interfaceText),
      ])
  }

  static func level(_ name: String) throws(CallFailure) -> AccessLevel {
    try CallFailure.named(name, in: "level", by: \AccessLevel.rawValue)
  }

  /// A malformed name gets the same answer as a library that is not offered to this user.
  static func library(_ name: String?) throws(CallFailure) -> LibraryName? {
    guard let name else { return nil }
    guard let library = LibraryName(name) else { throw .broker(.libraryNotFound()) }
    return library
  }
}
