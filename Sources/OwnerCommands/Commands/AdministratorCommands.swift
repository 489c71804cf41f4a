import Accounts
import BrokerInterface

enum AdministratorCommands {
  static let group = Command("administrator", "See and name administrators", commands: [list, add, remove])

  private static let users = Operand(
    "USER,...", "users' names or numbers, separated by commas", values: .listed([.users]))
  private static let administrators = Operand(
    "USER,...", "administrators' names or numbers, separated by commas", values: .listed([.administrators]))

  static let list = Command("list", "List administrators") { invocation throws(CommandError) in
    try invocation.report(invocation.call(Admin.ListAdministrators.self, .init())) { reply in
      var table = Table("USER", "NAMED BY")
      for user in reply.administrators {
        table.add(
          AccountNames.words(user),
          user == 0 ? "is root" : reply.named.contains(user) ? "root" : "the broker's configuration")
      }
      invocation.print(table, whenEmpty: "No administrator is named.")
    }
  }

  static let add = Command(
    "add", "Name administrators; root only", [users],
    discussion: """
      Administrators see every library's apps, access levels and counts. They can block, reduce, pause and revoke \
      access. They see no photos and give no access, unless a library's owner allows it: library delegate.
      """
  ) { invocation throws(CommandError) in
    let chosen = try Arguments.users(invocation.arguments[users], of: users.name)
    let named = try invocation.call(Admin.ListAdministrators.self, .init()).value.named
    try set(named + chosen.filter { !named.contains($0) }, invocation)
  }

  static let remove = Command("remove", "Remove administrators at once; root only", [administrators]) {
    invocation throws(CommandError) in
    let chosen = try Arguments.users(invocation.arguments[administrators], of: administrators.name)
    let named = try invocation.call(Admin.ListAdministrators.self, .init()).value.named
    let leaving = named.filter(chosen.contains)
    if !leaving.isEmpty { try invocation.confirm("Remove \(LibraryCommands.users(leaving)) as administrator?") }
    try set(named.filter { !chosen.contains($0) }, invocation)
  }

  private static func set(_ users: [Int64], _ invocation: Invocation) throws(CommandError) {
    try invocation.report(invocation.call(Admin.SetAdministrators.self, .init(administrators: users))) { _ in
      invocation.print("Administrators named by root: \(LibraryCommands.users(users)).")
    }
  }
}
