import PhotoModel
import PluginKit
import Testing

@testable import RcloneStorage

/// rclone's output is hostile input, because other people name the files.
struct ListedFileTests {
  private func file(_ line: String) -> ListedFile? { ListedFile(line: Array(line.utf8)) }

  @Test func `a line of a listing is a file`() throws {
    let line =
      #"{"Path":"a/b \"c\" é\u00e9\ud83d\udcf7.jpg","Name":"x","Size":11839,"#
      + #""ModTime":"2024-02-29T13:04:05.123456789+01:00","IsDir":false,"ID":"x1","Hashes":{"md5":"00"}},"#
    let listed = try #require(file(line))
    #expect(listed.path == "a/b \"c\" éé📷.jpg")
    #expect(listed.folder == "a")
    #expect(listed.name == "b \"c\" éé📷.jpg")
    #expect(listed.size == 11_839)
    // date -u -d 2024-02-29T12:04:05Z +%s
    #expect(listed.modified.microseconds == 1_709_208_245_123_456)
    let item = listed.file(.original)
    #expect(item.identityHint == "id:x1")
    #expect(item.contentVersion == "11839-1709208245123456", "a hash of two digits is none")
  }

  @Test(
    arguments: [
      (#"{"sha1":"da39a3ee5e6b4b0d3255bfef95601890afd80709"}"#, "hash:sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      (#"{"md5":""}"#, "1-0"), ("{}", "1-0"), (#"{"md5":null}"#, "1-0"), (#"{"md5":"0123456789abcdef\n"}"#, "1-0"),
      (#"{"md5":"0123456789abcdef","sha1":"0123456789abcdef"}"#, "1-0"), (#"["0123456789abcdef"]"#, "1-0"),
    ]) func `a remote's hash is the version of the bytes, wherever the file is`(
      _ hashes: String, _ version: String
    )
  {
    let line = #"{"Path":"a.jpg","Size":1,"ModTime":"1970-01-01T00:00:00Z","IsDir":false,"Hashes":\#(hashes)}"#
    #expect(file(line)?.contentVersion == version)
  }

  @Test
  func
    `R142 which of several trashed files is meant is told by what the remote calls it, its bytes or time, or its size`()
    throws
  {
    func listed(_ more: String, size: Int = 1) throws -> ListedFile {
      try #require(file(#"{"Path":"a.jpg","Size":\#(size),"ModTime":"1970-01-01T00:00:00Z","IsDir":false\#(more)}"#))
    }
    let hash = #","Hashes":{"md5":"0123456789abcdef"}"#
    func known(_ version: String, _ hint: String? = nil) -> KnownFile {
      KnownFile(contentVersion: version, identityHint: hint)
    }
    #expect(try listed(#","ID":"x1""#).likeness(to: known("2-0", "id:x1")) == 3)
    #expect(try listed(#","ID":"x2""#).likeness(to: known("1-0", "id:x1")) == 2)
    #expect(try listed(hash).likeness(to: known("hash:md5:0123456789abcdef")) == 2)
    #expect(try listed(hash).likeness(to: known("hash:md5:0123456789abcdff")) == 0)
    #expect(try listed("").likeness(to: known("1-5")) == 1)
    #expect(try listed("").likeness(to: known("11-0")) == 0 && listed("", size: 11).likeness(to: known("1-0")) == 0)
  }

  @Test func `rclone is asked for the remote's own facts and no computed hash`() throws {
    func traits(_ text: String) -> RemoteTraits? { RemoteTraits(printed: Array(text.utf8)) }
    let cloud = try #require(
      traits(#"{"Hashes":["crc32","md5","sha1"],"Features":{"SlowHash":false,"SlowModTime":true},"Name":"x"}"#))
    #expect(cloud.listing == ["--hash", "--hash-type", "sha1", "--use-server-modtime"])
    #expect(traits(#"{"Hashes":["md5"],"Features":{"SlowHash":true,"SlowModTime":false}}"#)?.listing == [])
    #expect(traits(#"{"Hashes":["crc32"],"Features":{}}"#)?.listing == [])
    #expect(traits(#"{"Hashes":[],"Features":{}}"#)?.hash == nil)
    #expect(traits(#"{"Hashes":[],"String":"https://x/","Features":{}}"#)?.logsOwnPaths == true)
    #expect(traits(#"{"Hashes":[],"String":"webdav root '2024'","Features":{}}"#)?.logsOwnPaths == true)
    #expect(traits(#"{"Hashes":[],"String":"Encrypted drive 'x:'","Features":{"UnWrap":true}}"#)?.logsOwnPaths == false)
    #expect(traits(#"{"Hashes":[],"String":"http://x/","Features":{"UnWrap":true}}"#)?.logsOwnPaths == false)
    for wrong in ["", "{}", "[]", #"{"Features":[]}"#, #"{"Hashes":["md5"]}"#] { #expect(traits(wrong) == nil) }
  }

  @Test func `bins are passed to rclone in its notation, and on no command line`() {
    let step = RcloneStep(["lsjson"], without: NamePatterns("#recycle,.*,*.lr[!x]*,a{b},c/d"), in: "far:")
    #expect(
      step.names?.split(separator: "\n").filter { !$0.hasSuffix("/**") } == [
        ".photobroker-*", "[#]recycle", ".*", "*.lr[^x]*", #"a\{b\}"#,
      ])
    #expect(step.names?.contains("[#]recycle/**\n") == true)
    #expect(!step.words.contains { $0.contains("recycle") })
  }

  @Test func `an incomplete line still concerns its file`() {
    func path(_ line: String) -> String? { ListedFile.path(line: Array(line.utf8)) }
    #expect(
      path(#"{"Path":"a/b.jpg","Name":"b.jpg","Size":-1,"ModTime":"2024-01-01T00:00:00Z","IsDir":false}"#) == "a/b.jpg")
    #expect(path(#"{"Path":"a","Size":-1,"IsDir":true}"#) == nil)
    #expect(path("[") == nil)
  }

  @Test(arguments: [
    "", "[", "]", "{}", "{", #"{"Path":"a","Size":1}"#,
    #"{"Path":"a","Size":-1,"ModTime":"2024-01-01T00:00:00Z","IsDir":true}"#,
    #"{"Path":"a","Size":-1,"ModTime":"2024-01-01T00:00:00Z","IsDir":false}"#,
    #"{"Path":"\ud800","Size":1,"ModTime":"2024-01-01T00:00:00Z"}"#,
    #"{"Path":"a","Size":99999999999999999999,"ModTime":"2024-01-01T00:00:00Z"}"#,
    #"{"Path":"a","Size":1,"ModTime":"yesterday"}"#,
    #"{"Path":"a","Size":1,"ModTime":"2024-13-01T00:00:00Z"}"#,
    "{\"Path\":\"a\u{1}\",\"Size\":1,\"ModTime\":\"2024-01-01T00:00:00Z\"}",
    String(repeating: #"{"a":"#, count: 100_000),
  ]) func `other lines are ignored`(_ line: String) {
    #expect(file(line) == nil)
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.5Z", -500_000),
      ("2000-03-01T00:00:00-05:30", 951_888_600_000_000),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
    ] as [(String, Int64)]) func `times are read in every era and zone`(_ text: String, _ microseconds: Int64)
  {
    #expect(Timestamp(internet: text)?.microseconds == microseconds)
  }

  @Test func `a remote is a name and a folder, without parameters`() throws {
    for good in ["far:", "far:Photos", "my cloud:a/b", "a.b-c_d@e+f:x"] { _ = try RemotePath(good) }
    for bad in ["", "far", ":local:/", "far,pass=x:", "-far:", "far\u{0}:", "far:a\nb", "/etc"] {
      #expect(throws: PluginError.self) { try RemotePath(bad) }
    }
    #expect(try RemotePath("far:").below("a.jpg") == "far:a.jpg")
    #expect(try RemotePath("far:Photos/").below("a.jpg") == "far:Photos/a.jpg")
  }

  @Test(arguments: ["..", "a/../b", "/a", "a//b", "a/", "./a", "a\u{7}", "", String(repeating: "a", count: 4_097)])
  func `paths that leave the folder or cannot be shown are skipped`(_ path: String) {
    #expect(!RemotePath.isLocator(path))
  }

  @Test func `rclone's complaints are reported without its words`() {
    let error = RcloneFailure.explain("couldn't connect ssh: unable to authenticate user secret at /photos/me.jpg")
    #expect(error.code == .offline)
    #expect(!error.message.contains("secret") && !error.message.contains("me.jpg"))
    #expect(RcloneFailure.explain("507 insufficient storage").code == .noSpace)
    #expect(RcloneFailure.explain("something new").code == .offline)
  }
}
