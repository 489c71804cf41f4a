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

  @Test func `other bytes are another file of the same name`() throws {
    var state = FolderState()
    _ = state.put("a", modified: 1, resources: [original("x.jpg")])
    let before = try #require(state.files["x.jpg"])
    #expect(state.put("a", modified: 2, resources: [original("x.jpg")]) == ["x.jpg"])
    let now = try #require(state.files["x.jpg"])
    #expect(now.inode != before.inode)
    #expect(!state.holds(before.inode))
    #expect(state.holds(now.inode))
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

  @Test func `an overlong duplicate name is left out`() {
    var state = FolderState()
    let name = String(repeating: "x", count: 251) + ".jpg"
    _ = state.put("a", modified: 1, resources: [original(name)])
    _ = state.put("b", modified: 1, resources: [original(name)])
    #expect(state.files.keys.sorted() == [name])
  }
}
