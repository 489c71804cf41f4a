import Accounts
import Foundation
import Limits
import PhotoBroker
import PictureFolder
import Synchronization

/// Serves the folder, runs the program in it, and returns its exit status.
enum RunProgram {
  static func run(_ words: [String]) -> Int32 {
    if words.first == "--help" || words.first == "-h" {
      print(RunOptions.help)
      return 0
    }
    if words == ["--version"] {
      print("photobroker-run \(Product.version)")
      return 0
    }
    let options: RunOptions
    do throws(RunOptions.Mistake) { options = try RunOptions(words) } catch {
      complain(error.text)
      return 64
    }
    do throws(Failure) { return try run(options) } catch {
      complain(error.text)
      return 1
    }
  }

  private struct Failure: Error {
    var text: String
  }

  private static func run(_ options: RunOptions) throws(Failure) -> Int32 {
    if options.mount == nil, case let failure = PictureFolder.enterOwnNamespace(), failure != 0 {
      throw Failure(
        text:
          "ordinary users may not make namespaces on this machine (\(String(cString: strerror(failure)))). Allow it "
          + "with sysctl "
          + "kernel.unprivileged_userns_clone=1 or user.max_user_namespaces")
    }
    let app = try identity(options)
    let socket = options.socket ?? PhotoLibrary.defaultSocketPath
    let adminSocket =
      options.adminSocket ?? URL(fileURLWithPath: socket).deletingLastPathComponent().path + "/admin.sock"
    guard let own = OwnLibraries.folders(adminSocket) else {
      throw Failure(
        text: "the broker at \(adminSocket) did not list your folders, so they cannot be hidden. Try again")
    }
    let place = try place(options, own)
    let view: String
    if let mount = options.mount { view = mount } else { view = try emptyFolder() }
    defer { if options.mount == nil { rmdir(view) } }
    let decided = Decision()
    let names = TokenFile(identifier: app.identifier).url.deletingPathExtension().appendingPathExtension("names")
    let folder = PictureFolder(library(options, app, socket), names: names) { notice in
      tell(notice, app.name)
      decided.take(notice)
    }
    // Before other threads start, because they inherit the signal mask.
    let signals = Signals()
    guard folder.mount(on: view, for: options.allowed?.uid) else {
      let line = "the line user_allow_other is in /etc/fuse.conf, which --allow-user needs unless root serves"
      throw Failure(
        text:
          "the folder cannot be served at \(view). Check that /dev/fuse exists and that you may open it"
          + (options.allowed == nil ? "" : ", and that \(line)") + "; see the lines above"
      )
    }
    let server = Thread {
      _ = folder.serve(); signals.noteEnd()
    }
    server.start()
    let following = Task.detached { await folder.follow() }
    defer {
      folder.stop()
      following.cancel()
    }
    guard options.mount == nil else {
      complain("\(app.name): the folder is served until you press Ctrl-C")
      signals.wait()
      return 0
    }
    if options.waits, !decided.wait(signals) {
      throw Failure(text: "\(app.name) was not started, because it got no access. To start it anyway: --no-wait")
    }
    guard let adminSockets = OwnLibraries.adminSockets else {
      throw Failure(
        text:
          "\(app.name) was not started, because /proc/net/unix cannot be read, so the owners' sockets cannot be hidden"
      )
    }
    let confinement = Confinement(
      view: view, place: place, libraryFolders: own.map(\.folder),
      adminSockets: [adminSocket] + adminSockets, appSocket: socket, keepsBus: options.keepsBus,
      keepsTerminal: options.keepsTerminal, environment: ProcessInfo.processInfo.environment)
    return try launch(["bwrap"] + confinement.arguments + ["--"] + options.program, signals)
  }

  private static func identity(_ options: RunOptions) throws(Failure) -> ProgramIdentity {
    // A folder served without a program is an app named by its mount point.
    let command = options.mount.map { [$0] } ?? options.program
    let search = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
    var facts = stat()
    let identity = ProgramIdentity(of: command, name: options.name, identifier: options.identifier, search: search) {
      path in
      stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }
    guard let identity else {
      throw Failure(
        text: "\(command[0]) runs scripts, which would all share one grant. Name this one with --name.")
    }
    return identity
  }

  private static func library(_ options: RunOptions, _ app: ProgramIdentity, _ socket: String) -> PhotoLibrary {
    let other = options.allowed.map { " User \($0.name) reads it too." } ?? ""
    let manifest = AppManifest(
      identifier: app.identifier, name: app.name,
      usageDescription: "\(app.name) is run with a picture folder that holds exactly what you choose.\(other)",
      hasScreen: false, preventsAutomaticLimitedAccessAlert: true, readOnly: true)
    return PhotoLibrary(socketPath: socket, manifest: manifest, name: options.library)
  }

  private static func place(_ options: RunOptions, _ own: [(library: String, folder: String)]) throws(Failure) -> String
  {
    let home = ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()
    let folder = own.first { options.library == nil || $0.library == options.library }?.folder
    let place = options.place ?? folder ?? home + "/Pictures"
    guard options.mount != nil || FileManager.default.fileExists(atPath: place) else {
      let name = place.utf8.count < PATH_MAX ? place : "of such a long name"
      throw Failure(text: "there is no folder \(name) to show the pictures in. Make it, or name another one with --at")
    }
    // Nothing could run if the home folder, or the program itself, were hidden.
    if let wide = own.map(\.folder).first(where: { home == $0 || home.hasPrefix($0 + "/") }) {
      throw Failure(
        text:
          "the library's folder \(wide) holds your home folder, so it cannot be hidden from a program. Move the "
          + "photos into a folder of their own"
      )
    }
    return place
  }

  private static func emptyFolder() throws(Failure) -> String {
    let runtime =
      ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap {
        $0.hasPrefix("/") && access($0, W_OK) == 0 ? $0 : nil
      } ?? "/tmp"
    var template = Array((runtime + "/photobroker-run-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(text: "no folder can be made in \(runtime)") }
    return String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// - Returns: The program's exit status, or 128 plus the number of the signal that ended it.
  private static func launch(_ command: [String], _ signals: Signals) throws(Failure) -> Int32 {
    let child: pid_t
    do throws(Subprocess.NotStarted) {
      child = try Subprocess.start(command) { _, attributes in
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      }
    } catch {
      throw Failure(text: "bwrap cannot be run; install bubblewrap")
    }
    return signals.wait(for: child)
  }

  private static func tell(_ notice: PictureFolder.Notice, _ name: String) {
    switch notice {
    case .waiting:
      complain("\(name) asks for photos; answer on the page (photobroker open), or with photobroker request list")
    case .open(let status):
      complain(status == .limited ? "\(name) sees the photos that are selected for it" : "\(name) sees all photos")
    case .closed: complain("\(name) sees no photos now")
    case .unreachable(let what): complain(what)
    }
  }

  /// Replaces control characters of file names and input, which could steer the terminal.
  static func complain(_ text: String) {
    let shown = text.unicodeScalars.map { scalar -> String in
      switch scalar.properties.generalCategory {
      case .control, .format, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
        "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }
    FileHandle.standardError.write(Data("photobroker-run: \(shown.joined())\n".utf8))
  }
}
