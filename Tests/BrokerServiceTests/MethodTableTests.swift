import Broker
import BrokerInterface
import EventLoop
import PluginCatalogue
import PluginHost
import Testing
import Varlink

@testable import BrokerService

/// Exactly the declared methods are served, each with a right.
@Suite struct MethodTableTests {
  /// Makes a core without libraries and connections, and reads something of it on its loop.
  private func onCore<R: Sendable>(_ body: @escaping @Sendable (ServiceCore) -> R) async throws -> R {
    let loop = try EventLoop(name: "test")
    try loop.start()
    let result = try await withCheckedThrowingContinuation { continuation in
      loop.perform { continuation.resume(with: Result { body(try Self.core(on: loop)) }) }
    }
    loop.stop()
    return result
  }

  private static func core(on loop: EventLoop) throws -> ServiceCore {
    let nowhere = "/nonexistent"
    let configuration = Configuration(
      stateDirectory: nowhere, runtimeDirectory: nowhere, pluginDirectories: [], programDirectory: nowhere)
    let environment = SystemEnvironment()
    let store = SilentStore()
    let catalogue = PluginCatalogue(PluginFinder(directories: [], host: nowhere), folder: nowhere) { _, _ in
    } remark: { _, _ in
    }
    let core = try ServiceCore(
      loop: loop, broker: Broker(contents: StoreContents(), store: store, environment: environment),
      store: store, environment: environment, configuration: configuration, log: Log(),
      factory: ProcessFactory(configuration, catalogue), catalogue: catalogue, uid: 1000, backUp: { _, _ in })
    // The loop calls it until it stops.
    _ = Unmanaged.passRetained(core)
    return core
  }

  private func declared(_ texts: String...) throws -> Set<String> {
    let interfaces = try texts.map { try InterfaceDescription(parsing: $0) }
    return Set(
      interfaces.flatMap { interface in
        interface.members.compactMap { member in
          if case .method = member.kind { "\(interface.name).\(member.name)" } else { nil }
        }
      })
  }

  @Test func `every method of the apps' interface has one row, and no other has`() async throws {
    let names = try await onCore { LibraryMethods.table($0).methods.map(\.name) }
    #expect(Set(names).count == names.count)
    #expect(
      try Set(names) == declared(Library.interfaceText, Picker.interfaceText, VarlinkService.interfaceText))
  }

  @Test func `every method of the owners' interface has one row, and no other has`() async throws {
    let names = try await onCore { AdminMethods.table($0).methods.map(\.name) }
    #expect(Set(names).count == names.count)
    #expect(try Set(names) == declared(Admin.interfaceText, VarlinkService.interfaceText))
  }

  @Test func `R121 library access is decided from the token`() async throws {
    let (open, methods) = try await onCore { core in
      (
        AuthorizationMethods(tokenEnds: core.tokenEnds, disclosures: core.disclosures).methods.map(\.name),
        LibraryMethods.table(core).methods.filter { $0.name.hasPrefix(Library.interfaceName) }
      )
    }
    #expect(methods.count > open.count)
    for method in methods where !open.contains(method.name) {
      guard case .granted = method.right else {
        Issue.record("\(method.name) is not decided from a token")
        continue
      }
    }
  }
}
