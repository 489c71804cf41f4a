import BrokerInterface
import Testing
import Varlink

@testable import BrokerService

/// Exactly the declared methods are served, each with a right.
@Suite struct MethodTableTests {
  private func declared(_ text: String) throws -> Set<String> {
    let interface = try InterfaceDescription(parsing: text)
    return Set(
      interface.members.compactMap { member in
        if case .method = member.kind { "\(interface.name).\(member.name)" } else { nil }
      })
  }

  @Test func `every method of the apps' interface has one row, and no other has`() throws {
    let names = LibraryMethods.table.names
    #expect(Set(names).count == names.count)
    #expect(
      try Set(names)
        == declared(Library.interfaceText).union(declared(Picker.interfaceText)).union(
          declared(VarlinkService.interfaceText)))
  }

  @Test func `every method of the owners' interface has one row, and no other has`() throws {
    let names = AdminMethods.table.names
    #expect(Set(names).count == names.count)
    #expect(try Set(names) == declared(Admin.interfaceText).union(declared(VarlinkService.interfaceText)))
  }

  @Test func `R121 library access is decided from the token`() {
    let open = Set(LibraryMethods.authorization.map(\.name) + Introspection.methods.map(\.name))
    for method in LibraryMethods.fetching + LibraryMethods.bytes + LibraryMethods.changing + LibraryMethods.adding
      + LibraryMethods.observing + LibraryMethods.cloud
    {
      #expect(!open.contains(method.name))
      guard case .granted = method.right else {
        Issue.record("\(method.name) is not decided from a token")
        continue
      }
    }
  }
}
