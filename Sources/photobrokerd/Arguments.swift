import Accounts
import BrokerService
import Glibc
import Limits
import PluginHost

/// The daemon's command line.
struct Arguments {
  static let help = """
    photobrokerd: lets each app see the photos that a person chose, and nothing else

    usage: photobrokerd [OPTION]...                        serves until SIGTERM, and logs to standard error
           photobrokerd [--state DIR] --restore FILE       replaces the state by a backup, and ends

    Paths:
      --state DIR          database, ledger and keys; only the broker's user may enter it
                           default: $STATE_DIRECTORY, else /var/lib/photobroker,
                           or ~/.local/state/photobroker for a user
      --runtime DIR        folder of photobroker.sock (apps) and admin.sock (owners)
                           default: $RUNTIME_DIRECTORY, else /run/photobroker,
                           or $XDG_RUNTIME_DIR/photobroker for a user
      --programs DIR       folder of photobroker-plugin-host, -media and -clean
                           default: the folder of this program
      --plugins DIR        folder of plugins; may be given several times
                           default: the folder of this program, then /usr/lib/photobroker/plugins

    Permissions:
      --administrator USER
                           user, a name or number, who may list all libraries and reduce access, as root
                           may; may be given several times. A name is looked up once, at the start
      --open-folder DIR    folder in which every user may have libraries, although it belongs to another
                           user. They get only their own files in it, and files that apps saved for
                           them; may be given several times
      --open-storage NAME  storage without a folder, such as rclone, on which every user may have
                           libraries, and not only root and the broker's own user. They can read
                           everything on it; may be given several times

    Plugins:
      --cloud-mapping NAME
                           plugin that makes cloud identifiers; default: content
      --network NAME       plugin whose process may use the network, such as rclone; may be given several
                           times. It is the plugin of this name that came with the broker, else the one
                           that was installed under it. Names that other installed plugins register get
                           no network
      --trust NAME         plugin that runs inside the daemon, without a process of its own. It is faster,
                           and can do and see all that the daemon can. Its crash ends the daemon, and
                           nothing ends its hanging calls; may be given several times
      --plugin-answer SECONDS
                           timeout of plugin calls, 1 to 3600; transfers have longer, by their size;
                           default: 60
      --library-photos N   limit of photos in one library, 1 to 10000000; default: 2000000
      --photos N           limit of photos in all libraries, 1 to 1000000000. The libraries of one user,
                           except for the daemon's own, get no more than are left for all others. New
                           photos above the limit wait
                           default: as many as half of the memory holds, 3 KiB each

    Clock:
      --trust-clock        accepts a clock that showed a later time before. Use it once, after the clock
                           was ahead by mistake. Without it, grants that end before that time have ended.
                           Ended grants stay ended

    For tests of apps:
      --sandbox SEED       throw-away broker, whose clock stands still until it is moved, and whose keys
                           follow from the seed (io.photobroker.Sandbox on admin.sock). Only in an empty
                           folder, or in the folder of an earlier sandbox
      --sandbox-clock MICROSECONDS
                           start of that clock, since 1970-01-01T00:00:00Z; default: the machine's time

    State:
      --restore FILE       replaces the state by a backup and ends; "-" reads standard input. Rights
                           revoked after the backup do not come back: grants are paused until their
                           owners check them

      --version, --help

    Sockets of a service manager (LISTEN_FDS, names "apps" and "administration") are used if there are
    any. Without --runtime, the folder of the first one is the runtime folder.
    """

  enum Request {
    case serve(Configuration)
    case restore(file: String, state: String)
    case show(String)
    case mistake(String)
  }

  static func parse(_ arguments: [String]) -> Request {
    var values: [String: [String]] = [:]
    var trustsClock = false
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return .show(help)
      case "--version": return .show("photobrokerd \(Product.version)")
      case "--trust-clock": trustsClock = true
      case "--sandbox", "--sandbox-clock", "--cloud-mapping", "--network", "--trust", "--restore", "--state",
        "--runtime", "--plugins",
        "--programs", "--administrator", "--open-storage", "--open-folder", "--plugin-answer", "--library-photos",
        "--photos":
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
          return .mistake("\(argument) needs a value; see --help")
        }
        values[argument, default: []].append(value)
      default: return .mistake("unknown argument \(argument); see --help")
      }
    }
    let isSystem = geteuid() == 0 || environment("RUNTIME_DIRECTORY") != nil
    let state: String
    if let folder = values["--state"]?.last ?? environment("STATE_DIRECTORY")
      ?? (isSystem ? "/var/lib/photobroker" : nil)
    {
      state = absolute(folder)
    } else {
      guard let home = environment("HOME") else { return .mistake("HOME is not set; give --state") }
      do throws(Mistake) { state = absolute(try madeUserState(home)) } catch { return .mistake(error.words) }
    }
    if let file = values["--restore"]?.last { return .restore(file: file, state: state) }
    guard
      let runtimeFolder = values["--runtime"]?.last ?? environment("RUNTIME_DIRECTORY")
        ?? (isSystem ? "/run/photobroker" : handedFolder() ?? userRuntime.map { $0 + "/photobroker" })
    else { return .mistake("XDG_RUNTIME_DIR is not set, or not an absolute path; give --runtime") }
    let programs = absolute(values["--programs"]?.last ?? ProgramFolder.path())
    var administrators: Set<UInt32> = [0]
    for text in values["--administrator"] ?? [] {
      guard let uid = AccountNames.number(text).flatMap(UInt32.init(exactly:)) else {
        return .mistake("--administrator takes a user's name or number; this machine has no user \(text)")
      }
      administrators.insert(uid)
    }
    if let folder = values["--open-folder"]?.first(where: { !$0.hasPrefix("/") }) {
      return .mistake("--open-folder takes an absolute path, not \(folder)")
    }
    for option in ["--cloud-mapping", "--network", "--trust"] {
      if let name = values[option]?.first(where: { !PluginFinder.isName($0) }) {
        return .mistake("\(option) takes a plugin's name, 1 to 64 of a-z, 0-9 and hyphen, not \(name)")
      }
    }
    let limits: PluginAllowance
    let photos: Int?
    do throws(Mistake) {
      limits = try pluginLimits(values)
      photos = try number("--photos", 1...1_000_000_000, values)
    } catch { return .mistake(error.words) }
    var sandbox = values["--sandbox"]?.last.map { SandboxOptions(seed: $0) }
    if let text = values["--sandbox-clock"]?.last {
      guard sandbox != nil, let clock = Int64(text), clock >= 0 else {
        return .mistake("--sandbox-clock takes microseconds since 1970 and goes with --sandbox")
      }
      sandbox?.clock = clock
    }
    return .serve(
      Configuration(
        stateDirectory: state, runtimeDirectory: absolute(runtimeFolder),
        pluginDirectories: values["--plugins"].map { $0.map(absolute) } ?? [programs, "/usr/lib/photobroker/plugins"],
        programDirectory: programs,
        administrators: administrators,
        cloudMapping: values["--cloud-mapping"]?.last ?? "content", networkedPlugins: Set(values["--network"] ?? []),
        trustedPlugins: Set(values["--trust"] ?? []),
        allowedPlaces: AllowedPlaces(
          openStorages: Set(values["--open-storage"] ?? []), openFolders: values["--open-folder"] ?? []),
        pluginLimits: limits, photos: photos,
        trustsClock: trustsClock, sandbox: sandbox))
  }

  private struct Mistake: Error { var words: String }

  private static func number(
    _ name: String, _ range: ClosedRange<Int>, _ values: [String: [String]]
  ) throws(Mistake) -> Int? {
    guard let text = values[name]?.last else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Mistake(words: "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
    }
    return number
  }

  private static func pluginLimits(_ values: [String: [String]]) throws(Mistake) -> PluginAllowance {
    var limits = PluginAllowance()
    if let seconds = try number("--plugin-answer", 1...3_600, values) { limits.answer = .seconds(seconds) }
    if let count = try number("--library-photos", 1...10_000_000, values) { limits.listedItems = count }
    return limits
  }

  /// The folder of the first inherited socket; nil without one, or without a path.
  private static func handedFolder() -> String? {
    guard environment("LISTEN_PID") == "\(getpid())", environment("LISTEN_FDS") != nil else { return nil }
    var address = sockaddr_un()
    var size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isNamed = withUnsafeMutablePointer(to: &address) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(3, $0, &size) == 0 && $0.pointee.sa_family == AF_UNIX
      }
    }
    guard isNamed else { return nil }
    let path = withUnsafeBytes(of: address.sun_path) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard path.hasPrefix("/"), let end = path.lastIndex(of: "/"), end > path.startIndex else { return nil }
    return String(path[..<end])
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Creates the folders above a user's state, which a new account lacks, as the XDG Base Directory
  /// Specification expects. Returns the state's folder.
  ///
  /// - Throws: `Mistake` if one of them cannot be created.
  private static func madeUserState(_ home: String) throws(Mistake) -> String {
    let above = [home + "/.local", home + "/.local/state"]
    for folder in above where mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw Mistake(
        words:
          "the folder \(folder) cannot be made: \(String(cString: strerror(errno))); check HOME, or give --state"
      )
    }
    return above[1] + "/photobroker"
  }

  /// A relative path must be ignored, as clients do: otherwise they would look elsewhere.
  ///
  /// Source: https://specifications.freedesktop.org/basedir-spec/latest/
  private static var userRuntime: String? { environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil } }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else { return path }
    let folder = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return folder == "/" ? "/" + path : folder + "/" + path
  }
}
