import Accounts
import Foundation
import Glibc
import Testing
import Varlink

@testable import OwnerCommands

/// Needs setfacl of Debian's package acl, and a file system with access control lists under /tmp.
@Suite struct FolderOpeningTests {
  private let folder: ScratchFolder
  private let user: UInt32 = 61_001
  private let photos: String

  init() throws {
    folder = try ScratchFolder()
    photos = folder.path + "/closed/photos"
    try FileManager.default.createDirectory(atPath: photos + "/2024", withIntermediateDirectories: true)
    try folder.write("closed/photos/2024/sea.jpg", "jpeg")
    for (path, mode) in [
      ("/closed", 0o700), ("/closed/photos", 0o700), ("/closed/photos/2024", 0o700),
      ("/closed/photos/2024/sea.jpg", 0o600),
    ] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path + path)
    }
  }

  private func lets(_ path: String, _ rights: UInt16) throws -> Bool {
    try AccessList(of: folder.path + path).lets(user, rights)
  }

  private var script: [String: ScriptedBroker.Scripted] { Samples.script }

  @Test func `the broker's user gets access to present and later files, and nobody else does`() throws {
    let opening = try FolderOpening(photos, for: user, caller: geteuid())
    #expect(opening.isNeeded && opening.advice == nil)
    #expect(opening.explanation.contains("setfacl -R -P"))
    _ = try opening.apply()
    #expect(try lets("/closed", AccessList.pass) && !lets("/closed", AccessList.read))
    #expect(try lets("/closed/photos/2024", AccessList.pass | AccessList.read))
    #expect(try lets("/closed/photos/2024/sea.jpg", AccessList.read))
    #expect(try !lets("/closed/photos/2024/sea.jpg", AccessList.pass))
    #expect(try !AccessList(of: photos + "/2024/sea.jpg").lets(61_009, AccessList.read))
    #expect(FileManager.default.createFile(atPath: photos + "/2024/new.jpg", contents: nil))
    #expect(try lets("/closed/photos/2024/new.jpg", AccessList.read))
    #expect(try !FolderOpening(photos, for: user, caller: geteuid()).isNeeded)
  }

  @Test func `a closed folder far above is found behind an open one`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path + "/closed")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    let opening = try FolderOpening(photos, for: user, caller: geteuid())
    #expect(opening.parents == [folder.path])
    #expect(opening.commands.count == 4)
  }

  @Test func `the owner can read and remove the broker's additions`() throws {
    _ = try FolderOpening(photos, for: user, caller: geteuid()).apply()
    let added = photos + "/PhotoBroker/new.jpg"
    let file = open(added, O_WRONLY | O_CREAT | O_CLOEXEC, 0o660)
    #expect(file >= 0 && fchown(file, user, user) == 0)
    close(file)
    #expect(mkdir(photos + "/PhotoBroker/0a", 0o770) == 0 && chown(photos + "/PhotoBroker/0a", user, user) == 0)
    let owner = geteuid()
    try expectEntry("user:\(owner):rw", of: added)
    try expectEntry("user:\(owner):rwx", of: photos + "/PhotoBroker/0a")
    try expectEntry("default:user:\(owner):rwx", of: photos + "/PhotoBroker/0a")
  }

  private func expectEntry(_ entry: String, of path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let listing = try listing(of: path)
    #expect(
      listing.split(separator: "\n").contains { $0.hasPrefix(entry) }, "\(listing)", sourceLocation: sourceLocation)
  }

  @Test func `undoing removes every entry, keeps earlier ones, and includes the broker's additions`() throws {
    let before = try listing
    let opening = try FolderOpening(photos, for: user, caller: geteuid())
    _ = try opening.apply()
    try folder.write("closed/photos/PhotoBroker/new.jpg", "jpeg")
    #expect(chown(photos + "/PhotoBroker/new.jpg", user, user) == 0)
    // As in the owner's shell, where the broker's file cannot be changed.
    try Subprocess.run(["sh", "-c", opening.takingBack])
    try Subprocess.run(["setfacl", "-b", "--", folder.path + "/closed"])
    #expect(opening.explanation.contains("setfacl -b -- \(folder.path)/closed"))
    try FileManager.default.moveItem(atPath: photos + "/PhotoBroker", toPath: folder.path + "/away")
    #expect(try listing(of: folder.path + "/closed") == before)
    try FileManager.default.moveItem(atPath: folder.path + "/away", toPath: photos + "/PhotoBroker")
    // Opened again: the broker's own file is skipped.
    let again = try FolderOpening(photos, for: user, caller: geteuid())
    #expect(again.commands.contains { $0.first == "find" } && !again.commands.contains { $0.contains("-R") })
    _ = try again.apply()
    #expect(
      try lets("/closed/photos/2024/sea.jpg", AccessList.read) && lets("/closed/photos/PhotoBroker", AccessList.write))
  }

  @Test func `with others on the lists, undoing removes the broker's entry only`() throws {
    try Subprocess.run(["setfacl", "-R", "-m", "u:61009:r,d:u:61009:r", "--", photos])
    let opening = try FolderOpening(photos, for: user, caller: geteuid())
    _ = try opening.apply()
    try Subprocess.run(["sh", "-c", opening.takingBack])
    #expect(
      try !listing(of: photos + "/2024").contains("\(user)") && listing(of: photos + "/2024").contains("user:61009:r"))
  }

  @Test func `a folder inside one readable by group removes nothing from that one`() throws {
    for path in ["/closed", "/closed/photos"] {
      #expect(chown(folder.path + path, geteuid(), 61_002) == 0 && chmod(folder.path + path, 0o750) == 0)
    }
    let inner = photos + "/2024"
    #expect(try !FolderOpening(photos, for: user, in: [61_002], caller: geteuid()).isNeeded)
    let opening = try FolderOpening(inner, for: user, in: [61_002], caller: geteuid())
    #expect(opening.parents == [] && opening.opensFolder)
    _ = try opening.apply()
    let outer = try AccessList(of: photos)
    #expect(!outer.hasEntries && outer.lets(user, in: [61_002], AccessList.read | AccessList.pass))
    // The group may read, but not search; the entry must have both rights.
    #expect(chmod(folder.path + "/closed", 0o740) == 0)
    let passing = try FolderOpening(inner, for: user, in: [61_002], caller: geteuid())
    _ = try passing.apply()
    #expect(try AccessList(of: folder.path + "/closed").lets(user, in: [61_002], AccessList.read | AccessList.pass))
  }

  @Test func `a folder around a writable one keeps that one writable`() throws {
    let inner = photos + "/2024"
    _ = try FolderOpening(inner, for: user, caller: geteuid()).apply()
    #expect(try lets("/closed/photos/2024/PhotoBroker", AccessList.write))
    let outer = try FolderOpening(photos, for: user, caller: geteuid())
    #expect(outer.opensFolder)
    _ = try outer.apply()
    #expect(try lets("/closed/photos/2024/PhotoBroker", AccessList.write | AccessList.read))
    #expect(try lets("/closed/photos/2024", AccessList.read) && !lets("/closed/photos/2024", AccessList.write))
    try expectEntry("default:user:\(user):rwx", of: inner + "/PhotoBroker")
  }

  @Test func `R158 the explanation names the command that lets apps add and delete`() throws {
    #expect(
      try FolderOpening(photos, for: user, caller: geteuid()).explanation.contains(
        "sudo photobroker library open \(photos)"))
  }

  @Test func `R158 an added library names the step that is left`() throws {
    let refusing = Samples.info().replacing(#""assets":"#, with: #""storageRefuses":["delete"],"assets":"#)
    let broker = try ScriptedBroker(
      in: folder, script.merging(["AddLibrary": .reply(#"{"library":\#(refusing)}"#)]) { $1 })
    defer { broker.stop() }
    let told = run("library", "add", "photos", photos, "--yes", broker: broker).console.printed
    #expect(told.contains { $0.contains("takes no deletions") && $0.contains("library open /p") })
  }

  @Test func `R158 the broker's user may write to the owner's folders, and read files`() throws {
    try #require(geteuid() == 0, "The commands run as the folder's owner, so root runs them.")
    let writable = try WritableFolder(photos, for: user, in: [])
    #expect(writable.explanation(isServed: true).contains("folders.conf"))
    try writable.apply()
    #expect(try lets("/closed", AccessList.pass) && !lets("/closed", AccessList.read))
    for path in ["", "/2024", "/PhotoBroker"] {
      #expect(try lets("/closed/photos" + path, AccessList.read | AccessList.write | AccessList.pass))
    }
    #expect(try lets("/closed/photos/2024/sea.jpg", AccessList.read))
    #expect(try !lets("/closed/photos/2024/sea.jpg", AccessList.write))
    #expect(try !AccessList(of: photos).lets(61_009, AccessList.read))
    #expect(try WritableFolder(photos, for: geteuid(), in: []).commands.isEmpty)
  }

  @Test(arguments: ["/closed", "/closed/photos/2024", "/closed/photos/2024/sea.jpg"])
  func `R158 a folder with a mask that keeps others out is not opened, since they would get in`(_ path: String) throws {
    try Subprocess.run(["setfacl", "-m", "u:61009:rwx", "--", folder.path + path])
    try Subprocess.run(["chmod", "g-rwx", "--", folder.path + path])
    let error = #expect(throws: CommandError.self) { try FolderOpening(photos, for: user, caller: geteuid()) }
    #expect(error?.message.contains(folder.path + path) == true)
    #expect(throws: CommandError.self) { try WritableFolder(photos, for: user, in: []) }
    #expect(try !AccessList(of: folder.path + path).lets(61_009, AccessList.read))
    // The broker's own entry alone may be lifted.
    try Subprocess.run(["setfacl", "-b", "--", folder.path + path])
    try Subprocess.run(["setfacl", "-m", "u:\(user):r", "--", folder.path + path])
    try Subprocess.run(["chmod", "g-rwx", "--", folder.path + path])
    #expect(try FolderOpening(photos, for: user, caller: geteuid()).isNeeded)
  }

  @Test func `R158 a folder of the system is not opened`() throws {
    let error = #expect(throws: CommandError.self) { try WritableFolder("/etc", for: user, in: []).requirePhotos() }
    #expect(error?.message.contains("belongs to root") == true)
  }

  @Test func `R158 a folder's line in the unit is quoted, and a line break refused`() throws {
    #expect(try ServiceFolders.line("/a b/\"%\\") == #"ReadWritePaths="-/a b/\"%%\\""# + "\n")
    #expect(throws: CommandError.self) { try ServiceFolders.line("/a\nUser=root") }
  }

  @Test func `commands to type are quoted for the shell`() {
    #expect(ShellWords.line(["setfacl", "-m", "u:61001:x", "--", "/a/b-c.d"]) == "setfacl -m u:61001:x -- /a/b-c.d")
    #expect(
      ShellWords.line(["x", "/my photos", "it's", "$(rm)", "", "ä"]) == #"x '/my photos' 'it'\''s' '$(rm)' '' 'ä'"#)
  }

  @Test func `a broker running as the owner or as root needs nothing`() throws {
    #expect(try !FolderOpening(photos, for: geteuid(), caller: geteuid()).isNeeded)
    #expect(try !FolderOpening(photos, for: 0, caller: geteuid()).isNeeded)
  }

  @Test func `another user's folder is left alone, and a closed parent of theirs is named`() throws {
    // For another caller, who owns none of it.
    let opening = try FolderOpening(photos, for: user, caller: geteuid() &+ 1)
    #expect(!opening.isNeeded)
    #expect(opening.advice?.contains("setfacl -m u:61001:x \(folder.path)/closed") == true)
  }

  @Test func `library add explains, asks, sets it, and sends the absolute path`() throws {
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    let no = run("library", "add", "photos", photos, broker: broker, console: .terminal("n"))
    #expect(no.status == 1)
    #expect(no.console.questions.first?.contains("runs as user 61001") == true)
    #expect(run("library", "add", "photos", photos, broker: broker).status == 64)
    #expect(try !lets("/closed/photos", AccessList.read))
    #expect(broker.calls("AddLibrary").isEmpty)
    let yes = run(
      "library", "add", "photos", photos + "/../photos/", "--offer", "61003,61004", "--time-zone", "-05:30", "--option",
      "a=b=c",
      "--yes", "--wait", broker: broker)
    #expect(yes.status == 0)
    #expect(try lets("/closed/photos", AccessList.read))
    let sent = try JSONObjectSample.read(broker.calls("AddLibrary").first ?? "")
    guard case .object(let options)? = sent["options"] else {
      Issue.record("no options were sent")
      return
    }
    #expect(options["path"] == .string(photos) && options["a"] == .string("b=c") && options.entries.count == 2)
    #expect(sent["offeredTo"] == .array([.integer(61003), .integer(61004)]))
    #expect(sent["zoneOffsetMinutes"] == .integer(-330))
    #expect(yes.console.printed.last == "online, 10 assets")
  }

  private var listing: String { get throws { try listing(of: folder.path + "/closed") } }

  private func listing(of path: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/getfacl")
    process.arguments = ["-R", "-n", "-p", path]
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `a refused library leaves the folder unchanged, another user's rights too`() throws {
    try Subprocess.run(["setfacl", "-R", "-m", "u:61009:r,d:u:61009:r", "--", photos])
    let refusal = #"{"message":"There is a library of that name."}"#
    let broker = try ScriptedBroker(
      in: folder, script.merging(["AddLibrary": .error("io.photobroker.Admin.Refused", refusal)]) { $1 })
    defer { broker.stop() }
    let before = try listing
    let result = run("library", "add", "photos", photos, "--yes", broker: broker)
    #expect(result.status == 65)
    #expect(try listing == before)
    #expect(before.contains("user:61009") && !FileManager.default.fileExists(atPath: photos + "/PhotoBroker"))
    #expect(result.console.complaints.contains { $0.contains("permissions are as before") })
  }

  @Test func `if the broker dies before its answer, the folder stays open and this is reported`() throws {
    let broker = try ScriptedBroker(in: folder, script.merging(["AddLibrary": .hangUp]) { $1 })
    defer { broker.stop() }
    let result = run("library", "add", "photos", photos, "--yes", broker: broker)
    #expect(result.status == 69)
    #expect(try lets("/closed/photos", AccessList.read))
    #expect(result.console.complaints.contains { $0.contains("-execdir setfacl -b -- '{}' + takes that back") })
  }

  @Test func `an invalid path is refused before the broker is asked`() throws {
    let broker = try ScriptedBroker(in: folder, script)
    defer { broker.stop() }
    #expect(run("library", "add", "photos", folder.path + "/none", "--yes", broker: broker).status == 66)
    #expect(run("library", "add", "photos", photos + "/2024/sea.jpg", "--yes", broker: broker).status == 65)
    #expect(broker.calls("AddLibrary").isEmpty)
  }
}
