import PhotoModel
import Testing

@testable import RcloneStorage

/// A list can omit files without an error; rclone's log names them (R98).
struct RcloneLogTests {
  private func line(_ level: String, _ message: String, _ object: String? = nil) -> String {
    let object = object.map { #""object":"\#($0)","objectType":"string","# } ?? ""
    return
      #"{"level":"\#(level)","msg":"\#(message)",\#(object)"source":"http/http.go:510","time":"2026-01-01T00:00:00Z"}"#
      + "\n"
  }

  private func lost(_ text: String, pieces: Int = 7) -> [String] {
    var log = RcloneLog()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      _ = log.take(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
    }
    return log.lost.map(\.text).sorted()
  }

  @Test(arguments: [
    ("debug", "skipping because of error: failed to stat: HTTP Error: 503 Service Unavailable", "a/b/p.jpg", "a/b"),
    ("debug", "skipping because of error: failed to stat: HTTP Error: 403 Forbidden", "p.HEIC", ""),
    (
      "debug", #"skipping because of error: failed to stat: Head \"http://x/\": EOF"#, #"a/\u00e9 \"x\": skipping.mp4"#,
      "a"
    ),
    ("error", "stat of non-regular file failed: permission denied", "a/link", "a/link"),
    ("debug", #"Ignoring item with bad status [\"HTTP/1.1 423 Locked\"]"#, "a/b/p.jpg", "a/b"),
    ("debug", #"Ignoring item with bad status [\"HTTP/1.1 503 Service Unavailable\"]"#, "a/2024", "a/2024"),
  ]) func `an unanswered file is not gone`(
    _ level: String, _ message: String, _ object: String, _ place: String
  ) {
    #expect(
      lost(line("debug", "Root: http://x/") + line(level, message, object) + line("debug", "2 go routines active")) == [
        place
      ])
  }

  @Test(arguments: [
    ("debug", "skipping because of error: object not found", "p.jpg"),
    ("debug", "skipping because of error: EOF", "index.html"),
    ("debug", "Excluded", "p.jpg"), ("debug", #"Ignoring item with bad status [\"HTTP/1.1 404 Not Found\"]"#, "p.jpg"),
    ("notice", "Dangling shortcut", "p.jpg"), ("error", "Failed to save config", nil),
  ]) func `a file reported absent is gone, and a missing non-photo is ignored`(
    _ level: String, _ message: String, _ object: String?
  ) { #expect(lost(line(level, message, object)) == []) }

  private func isForeign(_ method: String, _ answer: String, type: String = "") -> Bool {
    let lines = [
      "HTTP REQUEST (req 0xc1)", #"\#(method) /2024/ HTTP/1.1\r\nHost: x\r\nAuthorization: XXXX\r\n\r\n"#, "<<<<",
      "HTTP REQUEST (req 0xc2)", #"PROPFIND / HTTP/1.1\r\nHost: x\r\n\r\n"#, "HTTP RESPONSE (req 0xc1)",
      "3 go routines active",
      #"HTTP/1.1 \#(answer)\r\nContent-Length: 4\r\n\#(type.isEmpty ? "" : "Content-Type: \(type)")\r\n\r\n"#,
      "HTTP RESPONSE (req 0xc2)", #"HTTP/2.0 207 Multi-Status\r\nContent-Type: text/xml\r\n\r\n"#,
    ]
    var log = RcloneLog()
    _ = log.take(lines.map { line("debug", $0) }.joined().utf8)
    return log.hasForeignAnswer
  }

  @Test(arguments: [
    ("200 OK", "text/html"), ("207 Multi-Status", "text/html; charset=utf-8"), ("200 OK", ""), ("302 Found", ""),
    ("301 Moved", "text/html"),
  ]) func `R98 a page in place of a folder's list is refused`(_ answer: String, _ type: String) {
    #expect(isForeign("PROPFIND", answer, type: type))
    #expect(!isForeign("GET", answer, type: type), "what is read has any type")
  }

  @Test(arguments: [
    ("207 Multi-Status", "application/xml"), ("207 Multi-Status", ""), ("404 Not Found", "text/html"),
    ("503 Busy", "text/html"),
  ])
  func `R98 a list is accepted, and an error answer is left to rclone`(_ answer: String, _ type: String) {
    #expect(!isForeign("PROPFIND", answer, type: type))
  }

  @Test func `an unfinished line is not kept and may concern anything`() {
    #expect(lost(String(repeating: "x", count: 100_000), pieces: 10_000) == [""])
  }

  @Test func `only complaints describe a failure`() {
    var log = RcloneLog()
    let told = line("debug", "403 quota", "quota.jpg") + line("error", "connection refused", "a") + "Failed to lsjson\n"
    let said = String(decoding: log.take(Array(told.utf8)), as: UTF8.self)
    #expect(!said.contains("quota"))
    #expect(said.contains("connection refused") && said.contains("Failed to lsjson"))
  }
}
