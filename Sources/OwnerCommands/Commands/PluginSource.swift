import BrokerInterface
import Glibc
import PluginHost
import UnixSocket

/// A plugin's file.
struct PluginSource {
  /// Absolute, without symbolic links.
  let path: String
  /// The name to install it under.
  let name: String
  private let form: PluginForm

  /// - Throws: `notFound`; `usage` if no valid plugin name follows from the file's name.
  init(_ text: String, name given: String?) throws(CommandError) {
    path = try AbsolutePath.resolve(text)
    let file = path.split(separator: "/").last.map(String.init) ?? ""
    let (stem, form) = PluginForm.suggested(by: file)
    self.form = form
    name = given ?? stem
    guard PluginFinder.isName(name) else {
      let what = given == nil ? "the file's name" : "that"
      throw .usage("\(PluginFinder.nameRule), and \(what) is not one: give --name NAME.")
    }
  }

  /// Has the broker install the file, or preview the installation.
  /// - Throws: `badData` if other users could replace the file; the broker's errors.
  func install(
    upgrade: Bool = false, options: [Admin.LibraryOptions] = [], development: Bool = false, preview: Bool = false,
    _ invocation: Invocation
  ) throws(CommandError) -> Answer<Admin.InstallPlugin.Reply> {
    try Self.checkFolders(of: path)
    let file = try InputFile.open(path)
    let parameters = Admin.InstallPlugin.Parameters(
      name: name, form: form.rawValue, descriptor: 0, upgrade: upgrade, development: development, preview: preview,
      options: options.isEmpty ? nil : options)
    return try invocation.broker().call(
      Admin.InstallPlugin.self, parameters, files: OwnedDescriptors(file))
  }

  /// Refuses a file that other users could replace: they could install code that the person did not
  /// build.
  /// - Throws: `badData`.
  static func checkFolders(of path: String) throws(CommandError) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw .file(path, errno) }
    let owner = facts.st_uid
    var place = path
    while place != "/" {
      guard lstat(place, &facts) == 0 else { throw .file(place, errno) }
      let isSticky = facts.st_mode & S_ISVTX != 0
      let isOpen = facts.st_mode & S_IWOTH != 0 || facts.st_mode & S_IWGRP != 0 && facts.st_gid != 0
      guard isSticky || !isOpen, facts.st_uid == 0 || facts.st_uid == owner else {
        throw CommandError(
          .badData,
          "Others than root and user \(owner), who owns the plugin's file, can change \(place). Check the plugin, "
            + "then run chmod go-w on that, or copy the plugin elsewhere."
        )
      }
      place = place.lastIndex(of: "/").map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "/"
    }
  }
}
