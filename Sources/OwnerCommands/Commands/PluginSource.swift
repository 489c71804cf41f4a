import Accounts
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
    guard let found = ChangeablePath(on: path) else { return }
    guard found.error == 0 else { throw .file(found.place, found.error) }
    throw CommandError(
      .badData,
      "Others than root and user \(found.owner), who owns the plugin's file, can change \(found.place). Check the "
        + "plugin, then run chmod go-w on that, or copy the plugin elsewhere."
    )
  }
}
