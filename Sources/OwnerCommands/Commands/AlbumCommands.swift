import BrokerInterface
import Limits

enum AlbumCommands {
  static let group = Command(
    "album", "List, make and share a library's albums",
    commands: [list, create, rename, add, remove, share, unshare, delete])

  private static let album = Operand(
    "ALBUM", "the album as listed by album list, or its title", values: .listed([.albums]))
  private static let title = Operand("TITLE", "1 to 1,024 bytes")
  private static let seenBy = CommandOption(
    "app", "APP", "only those that this app sees, as it sees them", values: .listed([.apps]))

  static let list = Command(
    "list", "List a library's albums by title", [.library], options: [seenBy]
  ) { invocation throws(CommandError) in
    let app = try invocation.app(seenBy)
    let parameters = Admin.ListOwnedAlbums.Parameters(library: invocation.arguments[.library], app: app)
    try invocation.report(invocation.callForAll(Admin.ListOwnedAlbums.self, parameters)) { reply in
      var table = Table("ALBUM", "TITLE", "ASSETS", "MADE BY", "SHARED")
      for album in reply.albums {
        table.add(album.album, album.title, "\(album.count)", album.creator ?? "you", album.shared ? "yes" : "no")
      }
      invocation.print(table, whenEmpty: app == nil ? "The library has no albums." : "This app sees no albums.")
    }
  }

  static let create = Command(
    "create", "Make an album", [.library, title], options: SelectorOptions.table,
    discussion: "Options that choose assets also put them into the new album."
  ) { invocation throws(CommandError) in
    try edit(invocation) { parameters throws(CommandError) in
      parameters.title = invocation.arguments[title]
      parameters.add = try invocation.selector(in: parameters.library)
    }
  }

  static let rename = Command("rename", "Give an album another title", [.library, album, title]) {
    invocation throws(CommandError) in
    try edit(invocation) { $0.title = invocation.arguments[title] }
  }

  static let add = Command(
    "add", "Put assets into an album", [.library, album], options: SelectorOptions.table
  ) { invocation throws(CommandError) in
    let chosen = try SelectorOptions.required(invocation.arguments)
    try edit(invocation) { parameters throws(CommandError) in
      parameters.add = try invocation.whole(chosen, in: parameters.library)
    }
  }

  static let remove = Command(
    "remove", "Remove assets from an album", [.library, album], options: SelectorOptions.table,
    discussion: "They stay in the library. album delete deletes the album itself."
  ) { invocation throws(CommandError) in
    let chosen = try SelectorOptions.required(invocation.arguments)
    try edit(invocation) { parameters throws(CommandError) in
      parameters.remove = try invocation.whole(chosen, in: parameters.library)
    }
  }

  static let share = Command(
    "share", "Let apps read an album whose album policy is shared-read", [.library, album],
    discussion: "Apps with selected photos see its selected members only, and its title."
  ) { invocation throws(CommandError) in
    try edit(invocation) { $0.shared = true }
  }

  static let unshare = Command("unshare", "Stop sharing an album with apps", [.library, album]) {
    invocation throws(CommandError) in
    try edit(invocation) { $0.shared = false }
  }

  static let delete = Command(
    "delete", "Delete an album; its assets stay", [.library, album]
  ) { invocation throws(CommandError) in
    try edit(invocation) { parameters throws(CommandError) in
      let (named, library) = (parameters.album, parameters.library)
      try invocation.confirm("Delete the album \(invocation.arguments[album])?") { () throws(CommandError) in
        try invocation.albums(of: library).contains { $0.album == named }
      }
      parameters.delete = true
    }
  }

  private static func edit(
    _ invocation: Invocation, _ change: (inout Admin.EditOwnedAlbum.Parameters) throws(CommandError) -> Void
  ) throws(CommandError) {
    var parameters = Admin.EditOwnedAlbum.Parameters(library: invocation.arguments[.library])
    if let typed = invocation.arguments.all(album).first {
      parameters.album = try invocation.album(typed, in: parameters.library)
    }
    try change(&parameters)
    try invocation.report(invocation.call(Admin.EditOwnedAlbum.self, parameters)) { reply in
      guard let album = reply.album else { return invocation.say("Deleted.") }
      invocation.print(album.album)
      invocation.say("\(album.title): \(Amount.count(album.count, "asset"))\(album.shared ? ", shared" : "").")
    }
  }
}
