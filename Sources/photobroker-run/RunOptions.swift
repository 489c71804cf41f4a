import Foundation
/// The options of the command line.
struct RunOptions {
  var library: String?
  /// The path where the program sees the pictures. Nil: the library's own folder if it is the
  /// caller's, else ~/Pictures.
  var place: String?
  var name: String?
  var identifier: String?
  var socket: String?
  var adminSocket: String?
  var waits = true
  var keepsBus = false
  var keepsTerminal = false
  /// The mount point for serving the folder without running a program.
  var mount: String?
  /// Another user who may read the served folder, and the name or number that was given.
  var allowed: (uid: UInt32, name: String)?
  var program: [String] = []

  static let help = """
    photobroker-run: started by photobroker run; see photobroker run --help

    usage: photobroker-run [--at FOLDER] [--library NAME] [--name NAME] [--identifier ID]
             [--no-wait] [--with-bus] [--keep-terminal] [--socket PATH] [--admin-socket PATH]
             (--mount FOLDER [--allow-user NAME] | -- PROGRAM [ARGUMENT...])
    """

  struct Mistake: Error {
    var text: String
  }

  init(_ words: [String]) throws(Mistake) {
    var rest = words[...]
    func value(_ option: String) throws(Mistake) -> String {
      guard let value = rest.popFirst(), !value.isEmpty else { throw Mistake(text: "\(option) needs a value") }
      return value
    }
    while let word = rest.first, word.hasPrefix("-"), word != "--" {
      rest.removeFirst()
      switch word {
      case "--library": library = try value(word)
      case "--at": place = Self.absolute(try value(word))
      case "--name": name = try value(word)
      case "--identifier": identifier = try value(word)
      case "--socket": socket = try value(word)
      case "--admin-socket": adminSocket = try value(word)
      case "--mount": mount = Self.absolute(try value(word))
      case "--allow-user":
        let name = try value(word)
        guard let uid = Self.user(name) else { throw Mistake(text: "there is no user \(name.prefix(64)) here") }
        allowed = (uid, name)
      case "--no-wait": waits = false
      case "--with-bus": keepsBus = true
      case "--keep-terminal": keepsTerminal = true
      default: throw Mistake(text: "unknown option \(word); see photobroker run --help")
      }
    }
    if rest.first == "--" { rest.removeFirst() }
    program = Array(rest)
    guard program.isEmpty == (mount != nil) else {
      throw Mistake(
        text: mount == nil ? "name the program to run; see photobroker run --help" : "--mount runs no program")
    }
    guard allowed == nil || mount != nil else { throw Mistake(text: "--allow-user goes with --mount") }
  }

  /// A user by name or number; containers have users without a name here.
  private static func user(_ name: String) -> UInt32? {
    if let uid = UInt32(name), uid != .max { return uid }
    return getpwnam(name).map { $0.pointee.pw_uid }
  }

  private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
