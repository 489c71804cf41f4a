import Glibc
import PhotoModel
import PluginHost
import PluginKit
import Testing
import UnixSocket

/// A plugin's first message, its description, and the reactions to it.
struct HandshakeTests {
  let installed: Installed
  init() throws { installed = try Installed() }

  /// A program that describes a storage with one option of each type, and repeats its settings in
  /// its notice.
  private func describing(_ answer: String) -> String {
    PythonPlugin.wire + """
      for method, parameters, files in calls():
          if method == "Describe": \(answer)
          elif method == "Start": given = parameters; answer({"kit": 1})
          elif method == "Facts":
              told = sorted(given["options"].items()) + sorted((given.get("secrets") or {}).items())
              told += [given["brokerKit"]] + sorted((given.get("folders") or {}).items())
              answer({"root": "/tmp", "changeDetection": "rescan", "isReadOnly": False, "notice": str(told)})
          elif method == "Add": refuse("offline", "The key %s is wrong." % given["secrets"]["key"])
          else: refuse("unsupported", "It cannot.")
      """
  }

  private static let full = #"""
    answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "told", "summary": "A test.",
        "capabilities": ["add", "levitation"], "options": [
        {"name": "place", "type": "path", "optional": False, "secret": False, "summary": "Where."},
        {"name": "wait", "type": "integer", "unit": "seconds", "default": "5", "minimum": 1, "maximum": 9,
        "optional": False, "secret": False, "summary": "How long."},
        {"name": "colour", "type": "choice", "allowed": ["red", "green"], "optional": True, "secret": False,
        "summary": "Which."},
        {"name": "loud", "type": "flag", "default": "false", "optional": False, "secret": False, "summary": "Whether."},
        {"name": "key", "type": "text", "optional": True, "secret": True, "summary": "Of the door."}]}]})
    """#

  private func storage(
    _ options: [String: String], secrets: [String: String] = [:], pins: FolderPins = FolderPins()
  ) throws -> IsolatedStorage {
    try installed.install("told", python: describing(Self.full))
    return IsolatedStorage(
      name: "told", settings: PluginSettings(options: options, secrets: secrets, pins: pins),
      program: try installed.finder.program(for: "told"))
  }

  @Test func `options are checked and have defaults, and secrets are separate`() throws {
    let storage = try storage(["place": "/photos", "wait": "7"], secrets: ["key": "open sesame"])
    defer { storage.stop() }
    #expect(
      try storage.facts().notice == "[('loud', 'false'), ('place', '/photos'), ('wait', '7'), ('key', '[secret]'), 1]",
      "owners are told no secret")
  }

  @Test func `R126 a storage receives the folders that its options name`() throws {
    let options = ["place": installed.photos]
    let pins = FolderPins(options)
    let storage = try storage(options, pins: pins)
    defer { storage.stop() }
    var facts = stat()
    #expect(stat(installed.photos, &facts) == 0)
    let told = try #require(try storage.facts().notice)
    let device = "\(facts.st_dev >> 8 & 0xfff):\(facts.st_dev & 0xff | facts.st_dev >> 12 & 0xfff00)"
    #expect(told.contains("1, ('place', '\(device):\(facts.st_ino):"), "\(told)")
  }

  @Test func `R126 a storage serves only folders named by its options at opening, or inside them`()
    throws
  {
    let place = installed.photos
    func lineage(_ path: String) -> [FileIdentity] {
      ["", "/.."].compactMap { step in
        let folder = open(path + step, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        return FileIdentity(of: folder)
      }
    }
    for name in ["mine", "mine/below", "others"] { #expect(mkdir("\(place)/\(name)", 0o755) == 0) }
    #expect(symlink("mine", "\(place)/link") == 0)
    let pins = FolderPins(["path": "\(place)/link", "ignore": "*.tmp", "none": "\(place)/none", "file": "/etc/passwd"])
    #expect(pins.areInPlace && pins["\(place)/none"] == FileIdentity.none && pins["/etc/passwd"] == nil)
    for isBelieved in [false, true] {
      #expect(pins.include(lineage("\(place)/mine"), at: "\(place)/link", isBelieved: isBelieved))
      #expect(pins.include(lineage("\(place)/mine/below"), at: "\(place)/link/below", isBelieved: isBelieved))
      #expect(!pins.include(lineage("\(place)/others"), at: "\(place)/link", isBelieved: isBelieved))
      #expect(!pins.include(lineage("\(place)/others"), at: "\(place)/none", isBelieved: isBelieved))
      #expect(!pins.include(lineage("\(place)/others"), at: "/etc/passwd", isBelieved: isBelieved), "it was no folder")
      #expect(pins.include(lineage("\(place)/mine"), at: "\(place)/mine", isBelieved: isBelieved), "under another name")
      #expect(pins.include(lineage("\(place)/others"), at: "\(place)/others", isBelieved: isBelieved) == isBelieved)
      #expect(FolderPins().include(lineage("\(place)/others"), at: "\(place)/others", isBelieved: isBelieved))
    }
    #expect(unlink("\(place)/link") == 0 && symlink("others", "\(place)/link") == 0 && !pins.areInPlace)
    #expect(unlink("\(place)/link") == 0 && !pins.areInPlace)
    #expect(symlink("mine", "\(place)/link") == 0 && pins.areInPlace)
    #expect(mkdir("\(place)/none", 0o755) == 0 && !pins.areInPlace)
  }

  @Test(
    arguments: [
      ([:], "Option \"place\" must be given: an absolute path."),
      (["place": "photos"], "Option \"place\" must be an absolute path."),
      (["place": "/p", "wait": "10"], "Option \"wait\" must be a whole number of seconds from 1 to 9."),
      (["place": "/p", "wait": "+5"], "Option \"wait\" must be a whole number of seconds from 1 to 9."),
      (["place": "/p", "colour": "blue"], "Option \"colour\" must be one of red, green."),
      (["place": "/p", "loud": "yes"], "Option \"loud\" must be true or false."),
      (["place": "/p", "size": "1"], "There is no option \"size\". The options: place, wait, colour, loud, key."),
      (["place": "/p", "key": "k"], "Option \"key\" is a secret. Give it as a credential"),
    ] as [([String: String], String)])
  func `a wrong option is named with the allowed ones, for a program in any language`(
    _ options: [String: String], _ words: String
  ) throws {
    let storage = try storage(options)
    defer { storage.stop() }
    #expect { try storage.facts() } throws: {
      code($0) == .invalidOption && "\($0)".hasPrefix("storage(told): \(words)")
    }
  }

  @Test func `an option that is not a secret is refused as one`() throws {
    let storage = try storage([:], secrets: ["place": "/p"])
    defer { storage.stop() }
    #expect { try storage.facts() } throws: {
      code($0) == .invalidOption && "\($0)".contains("\"place\" is not a secret")
    }
  }

  @Test func `a storage is asked only for its declared abilities`() throws {
    let storage = try storage(["place": "/p"], secrets: ["key": "open sesame"])
    defer { storage.stop() }
    #expect { try storage.trash(locator: "a.jpg", known: nil, size: 1) } throws: { code($0) == .readOnly }
    #expect { try storage.enumerate([StorageFolder(path: "", isDeep: true)]) { _ in } } throws: {
      "\($0)".contains("as a whole")
    }
    #expect { try storage.add(name: "a.jpg", contents: STDIN_FILENO, size: 0, folder: nil) } throws: {
      code($0) == .offline && "\($0)" == "storage(told): The key [secret] is wrong."
    }
  }

  @Test(
    arguments: [
      (
        #"answer({"kit": 7, "built": "kit 7, some compiler", "plugins": []})"#, PluginError.Code.unsupported,
        "built with kit 7 (kit 7, some compiler), but this broker has kit 1"
      ),
      (
        // A newer kit's other fields are unreadable here, and must not be reported as the mistake.
        #"answer({"kit": 7, "plugins": [{"protocol": "sorcery", "name": "odd", "summary": "", "options": []}]})"#,
        .unsupported,
        "built with kit 7, but this broker has kit 1"
      ),
      (#"answer({"kit": 1, "plugins": []})"#, .unsupported, "It has no storage \"odd\". It registers: nothing."),
      (
        #"answer({"kit": 1, "plugins": [{"protocol": "albumPolicy", "name": "odd", "summary": "", "options": []}]})"#,
        .unsupported,
        "It registers: album policy \"odd\"."
      ),
      (
        #"answer({"kit": 1, "plugins": [{"protocol": "sorcery", "name": "odd", "summary": "", "options": []}]})"#,
        .unsupported,
        "There is no protocol \"sorcery\"."
      ),
      (
        #"answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "../odd", "summary": "", "options": []}]})"#,
        .failed,
        "a name has characters other than"
      ),
      (
        #"""
        answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "odd", "summary": "", "options": [\#
        {"name": "x", "type": "integer", "optional": True, "secret": False, "summary": ""}]}]})
        """#,
        .failed, "the option \"x\" of \"odd\" is invalid: an integer has a minimum"
      ),
      (#"answer({"kit": 1})"#, .offline, "plugins"),
    ] as [(String, PluginError.Code, String)])
  func `a mismatched handshake says why`(_ reply: String, _ expected: PluginError.Code, _ words: String) throws {
    try installed.install("odd", python: describing(reply))
    let storage = IsolatedStorage(
      name: "odd", settings: PluginSettings(), program: try installed.finder.program(for: "odd"))
    defer { storage.stop() }
    #expect { try storage.facts() } throws: { code($0) == expected && "\($0)".contains(words) }
  }

  @Test func `the bundled plugins describe themselves`() throws {
    let policies = try #require(
      try IsolatedPlugin.describe("album-policies", Installed.finder.program(for: "album-policies")))
    #expect(policies.entries.map(\.name) == ["full", "none", "own", "shared-read"])
    #expect(policies.entries.allSatisfy { $0.kind == .albumPolicy })
    #expect(policies.built?.hasPrefix("kit 1, swift ") == true)
    let directory = try #require(try IsolatedPlugin.describe("directory", Installed.finder.program(for: "directory")))
    #expect(directory.entries.map(\.kind) == [.storage])
    #expect(
      directory.entries.first?.options.map(\.name) == [
        "path", "addFolder", "rescanSeconds", "oneFileSystem", "bins", "ignore",
      ])
    try installed.install("silent", python: PythonPlugin.folder)
    #expect(try IsolatedPlugin.describe("silent", installed.finder.program(for: "silent")) == nil)
  }
}
