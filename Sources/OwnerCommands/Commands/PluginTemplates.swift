import Glibc
import PluginHost
import UnixSocket
import Varlink

/// Writes the first plugin of the guides, as a start for a plugin of one's own.
enum PluginTemplates {
  private static let folder = Operand(
    "FOLDER", "a new or empty folder, whose name becomes the plugin's", values: .folder)
  private static let swift = CommandOption("swift", "a package in Swift, as Examples/third-party-plugin explains it")
  private static let python = CommandOption("python", "one program in Python, without the kit")
  private static let go = CommandOption("go", "one program in Go, with its standard library alone")
  private static let languages = [swift, python, go]
  private static let kit = CommandOption(
    "kit", "FOLDER",
    "with --swift: the folder Sources/PluginKit of a checkout of the broker (default: that of photobroker-dev)",
    values: .folder)
  private static let installedKit = "/usr/share/photobroker/swift/photobroker/Sources/PluginKit"

  static let begin = Command(
    "init", "Write a smallest plugin to begin with, an album policy", [folder], options: languages + [kit],
    discussion: """
      Apps see and change their own albums, and read the owner's shared albums whose title begins with a word. The \
      plugin is complete: build it, try it with plugin check, and change it. No broker is needed.
      """
  ) { invocation throws(CommandError) in
    let arguments = invocation.arguments
    guard languages.count(where: { arguments.has($0) }) == 1 else {
      throw .usage("Choose a language: \(swift.typed), \(python.typed) or \(go.typed).")
    }
    guard arguments.has(swift) || !arguments.has(kit) else { throw .usage("\(kit.typed) goes with \(swift.typed).") }
    let typed = arguments[folder]
    let name = ((try? AbsolutePath.resolve(typed)) ?? typed).split(separator: "/").last.map(String.init) ?? ""
    guard PluginFinder.isName(name), name.first?.isLetter == true else {
      throw .usage("\(PluginFinder.nameRule), a letter first; the folder's name is not one. Name another folder.")
    }
    guard !arguments.has(swift) || !taken.contains(module(name)) else {
      throw .usage("Swift's module of \(name) would be \(module(name)), which is taken. Name another folder.")
    }
    let files =
      if arguments.has(swift) {
        try package(name, kit: arguments[kit])
      } else if arguments.has(go) {
        goModule(name)
      } else {
        program(name)
      }
    try makeEmpty(typed)
    let path = try AbsolutePath.resolve(typed)
    for file in files {
      let folders = file.name.split(separator: "/").dropLast()
      for count in folders.indices { mkdir(path + "/" + folders[...count].joined(separator: "/"), 0o777) }
      var new = try NewFile(creating: path + "/" + file.name, mode: file.mode)
      try new.keep(Array(file.text.utf8), orElse: "Delete the folder and try again.")
    }
    let names = files.map(\.name)
    try invocation.report(["folder": .string(path), "files": .array(names.map { .string($0) })]) {
      for name in names { invocation.print("\(path)/\(name)") }
      let quoted = ShellWords.line([path])
      if arguments.has(swift) { invocation.say("Build it: swift build --package-path \(quoted)") }
      if arguments.has(go) { invocation.say("Build it: cd \(quoted) && go build -o \(name).plugin .") }
      let built = path + (arguments.has(swift) ? "/.build/debug/lib\(name).so" : "/\(name).plugin")
      invocation.say("Try it: photobroker plugin check \(ShellWords.line([built]))")
    }
  }

  /// Names that the template uses itself, and those that no Swift module can have.
  private static let taken: Set = [
    "Swift", "Self", "Any", "Type", "Protocol", "Glibc", "Foundation", "PhotoModel", "PluginKit", "Register",
    "AlbumPolicy", "AlbumPolicyQuestion", "AlbumPolicyAnswer", "PluginOptions", "PluginOption", "PluginError",
    "PluginRegistry", "PluginKitVersion", "String", "Set", "UnsafePointer", "UnsafeMutableRawPointer", "CChar",
  ]

  private struct File {
    let name: String
    let text: String
    var mode: mode_t = 0o666
  }

  private static func program(_ name: String) -> [File] {
    [File(name: name + ".plugin", text: text(PackageResources.family_albums_plugin_txt, name), mode: 0o777)]
  }

  private static func goModule(_ name: String) -> [File] {
    [
      File(name: "go.mod", text: text(PackageResources.go_mod_txt, name)),
      File(name: "main.go", text: text(PackageResources.main_go_txt, name)),
    ]
  }

  /// - Throws: `notFound` unless the kit is there.
  private static func package(_ name: String, kit named: String?) throws(CommandError) -> [File] {
    if named == nil, access(installedKit, F_OK) != 0 {
      throw .usage("Install photobroker-dev, or name the kit with \(kit.usage).")
    }
    let kit = try AbsolutePath.resolve(named ?? installedKit)
    guard access(kit + "/Package.swift", F_OK) == 0 else { throw .file(kit + "/Package.swift", errno) }
    guard !kit.contains(where: { $0 == "\"" || $0 == "\\" || $0.isNewline }) else {
      throw .usage("The kit's path has a quotation mark, a backslash or a line break. Name it by a symbolic link.")
    }
    let module = module(name)
    return [
      File(
        name: "Package.swift",
        text: text(PackageResources.Package_swift_txt, name).replacing("../../Sources/PluginKit", with: kit)),
      File(name: "Sources/\(module)/\(module).swift", text: text(PackageResources.FamilyAlbums_swift_txt, name)),
      File(name: "Sources/\(module)/Register.swift", text: text(PackageResources.Register_swift_txt, name)),
    ]
  }

  /// The example's text with the plugin's own name.
  private static func text(_ bytes: [UInt8], _ name: String) -> String {
    String(decoding: bytes, as: UTF8.self).replacing("family-albums", with: name)
      .replacing("FamilyAlbums", with: module(name))
  }

  /// The Swift module of a plugin: `family-albums` becomes `FamilyAlbums`.
  private static func module(_ name: String) -> String {
    name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// - Throws: `cannotCreate` for a folder with entries.
  private static func makeEmpty(_ path: String) throws(CommandError) {
    if mkdir(path, 0o777) == 0 { return }
    let cause = errno
    guard cause == EEXIST, let names = FolderListing.names(in: path) else {
      throw .file(path, cause == EEXIST ? errno : cause)
    }
    guard names.isEmpty else { throw CommandError(.cannotCreate, "\(path) is not empty. Name a new folder.") }
  }
}
