import Testing

@testable import PictureFolder

struct FolderStateTests {
  private func original(_ name: String, _ size: Int64 = 1) -> (role: String, name: String, size: Int64) {
    ("original", name, size)
  }

  @Test func `files of one name get a number and keep it`() {
    var state = FolderState()
    #expect(state.put("a", modified: 1, resources: [original("x.jpg")]) == [])
    #expect(state.put("b", modified: 1, resources: [original("x.jpg")]) == [])
    #expect(Set(state.files.keys) == ["x.jpg", "x (2).jpg"])
    // Repeated, it changes nothing; the number stays when the first file goes.
    #expect(state.put("b", modified: 1, resources: [original("x.jpg")]) == [])
    #expect(state.remove("a") == ["x.jpg"])
    #expect(state.files.keys.sorted() == ["x (2).jpg"])
  }

  @Test func `other bytes keep name and inode, and no file that is open`() throws {
    var state = FolderState()
    _ = state.put("a", modified: 1, resources: [original("x.jpg")])
    let before = try #require(state.files["x.jpg"])
    #expect(state.put("a", modified: 2, resources: [original("x.jpg")]) == ["x.jpg"])
    let now = try #require(state.files["x.jpg"])
    #expect(now.inode == before.inode)
    #expect(!state.holds(before.serial))
    #expect(state.holds(now.serial))
  }

  @Test func `all files of an asset appear and disappear together`() {
    var state = FolderState()
    _ = state.put("a", modified: 1, resources: [original("x.heic"), ("pairedVideo", "x.mov", 2)])
    #expect(state.files.keys.sorted() == ["x.heic", "x.mov"])
    #expect(state.remove("a").sorted() == ["x.heic", "x.mov"])
    #expect(state.files.isEmpty)
    #expect(state.remove("a") == [])
  }

  @Test(arguments: ["", ".", "..", "a/b", "a\0b", String(repeating: "x", count: 256)])
  func `an invalid file name is left out`(name: String) {
    var state = FolderState()
    _ = state.put("a", modified: 1, resources: [original(name)])
    #expect(state.files.isEmpty)
  }

  @Test func `an overlong duplicate name is shortened`() {
    var state = FolderState()
    let name = String(repeating: "x", count: 251) + ".jpg"
    _ = state.put("a", modified: 1, resources: [original(name)])
    _ = state.put("b", modified: 1, resources: [original(name)])
    #expect(state.files.keys.sorted() == [String(repeating: "x", count: 247) + " (2).jpg", name])
  }

  @Test func `a photo keeps name and inode whatever else comes and goes, also in the next run`() throws {
    var state = FolderState()
    for asset in ["a", "b"] { _ = state.put(asset, modified: 1, resources: [original("x.jpg")]) }
    let before = state.files.mapValues { [$0.asset, "\($0.inode)"] }
    #expect(before["x.jpg"]?.first == "a")
    let lines = state.takeNewNames()
    #expect(state.takeNewNames() == "" && !lines.contains("x"))
    // One that never was there gets no name of theirs, and none of theirs is freed.
    for first in ["a", "b", "c"] {
      var next = FolderState(FolderNames(lines: (lines + "damaged\n").split(separator: "\n")))
      for asset in [first, "c", "b", "a"] { _ = next.put(asset, modified: 1, resources: [original("x.jpg")]) }
      #expect(next.files.mapValues { [$0.asset, "\($0.inode)"] }.filter { $0.key != "x (3).jpg" } == before)
      #expect(next.files["x (3).jpg"]?.asset == "c")
    }
  }

  @Test func `a renamed photo has its new name, and its old one is free`() {
    var state = FolderState()
    _ = state.put("a", modified: 1, resources: [original("x.jpg")])
    #expect(state.put("a", modified: 1, resources: [original("y.jpg")]) == ["x.jpg"])
    _ = state.put("b", modified: 1, resources: [original("x.jpg")])
    #expect(state.files.mapValues(\.asset) == ["y.jpg": "a", "x.jpg": "b"])
  }
}
