import Accounts
import BrokerInterface
import Glibc
import UnixSocket
import Varlink

/// Folders and plugins of this machine. The page sends a path and a name alone, so its secret sets no
/// other field of the methods behind them.
extension PageService {
  /// Proposes a folder, examines one, or puts it under the broker as `photobroker library add` does.
  func folder(_ question: PathQuestion) throws(PageError) -> Response {
    guard let typed = question.path else { return .json(path: TypedPath.pictures) }
    let path = try TypedPath.resolve(typed, isFolder: true)
    guard let name = question.library else { return .json(path: path) }
    guard path.utf8.elementsEqual(typed.utf8) else {
      throw PageError(.refused, "The folder was replaced by a link since the page showed it. Look at its path again.")
    }
    defer { state.changedHere() }
    if question.letsIn {
      try LibraryProgram.add(path, as: name, socket: links.path)
      return .json(path: path)
    }
    let zone = LocalZone.present
    var parameters = Admin.AddLibrary.Parameters(name: name, options: ["path": path])
    (parameters.timeZone, parameters.zoneOffsetMinutes) = (zone.name, zone.offsetMinutes)
    let reply = try links.call("AddLibrary", parameters)
    return reply.error == nil ? .json(reply.rawParameters) : .refused(reply, by: "AddLibrary")
  }

  /// Examines a plugin's file, or installs it as `photobroker plugin install` does.
  func plugin(_ question: PathQuestion) throws(PageError) -> Response {
    let path = try TypedPath.resolve(question.path ?? "", isFolder: false)
    let file = path.split(separator: "/").last ?? ""
    let isObject = file.hasPrefix("lib") && file.hasSuffix(".so")
    guard isObject || file.hasSuffix(".plugin") else {
      throw PageError(.refused, "A plugin's file is called libNAME.so or NAME.plugin.")
    }
    if let found = ChangeablePath(on: path) {
      guard found.error == 0 else { throw Self.fileMissing }
      throw PageError(
        .refused,
        "Others than root and user \(found.owner), who owns the plugin's file, can change \(found.place). Check the "
          + "plugin, then run chmod go-w on that, or copy the plugin elsewhere.")
    }
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { throw Self.fileMissing }
    let opened = FileDescriptor(owning: number)
    var facts = stat()
    // The owner of a file can change it after the page's user looked at it.
    guard fstat(number, &facts) == 0, [0, geteuid()].contains(facts.st_uid) else {
      throw PageError(
        .refused, "The file belongs to user \(facts.st_uid), who can change it. Install a copy that belongs to you.")
    }
    let name = isObject ? file.dropFirst(3).dropLast(3) : file.dropLast(7)
    let parameters = Admin.InstallPlugin.Parameters(
      name: String(name), form: isObject ? "object" : "program", descriptor: 0, preview: !question.isInstalled)
    let reply = try links.call("InstallPlugin", parameters, file: opened)
    return reply.error == nil ? .json(reply.rawParameters) : .refused(reply, by: "InstallPlugin")
  }
}

extension PageService {
  private static var fileMissing: PageError {
    PageError(.notFound, "The file is not there any more. Check the path.")
  }
}

extension Response {
  fileprivate static func json(path: String?) -> Response {
    var writer = JSONWriter()
    (["path": path.map { .string($0) } ?? .null] as JSONObject).encode(to: &writer)
    return .json(writer.bytes)
  }
}
