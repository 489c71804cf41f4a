import Foundation
import Glibc
import PhotoModel
import PluginKit
import Testing

@testable import DirectoryStorage

/// The folders named after a change, and scans limited to them.
struct FolderScopeTests {
  let folder: TemporaryFolder
  let storage: DirectoryStorage

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("a.jpg", "one/b.jpg", "one/deep/c.jpg", "two/d.jpg", "one-more/e.jpg")
    storage = try folder.storage()
    try storage.settle()
  }

  private func named(_ deed: () throws -> Void) throws -> [StorageFolder]? {
    try deed()
    #expect(try storage.waitForChanges(milliseconds: 2_000))
    return storage.changedFolders()
  }

  private func shallow(_ path: String) -> StorageFolder { StorageFolder(path: path, isDeep: false) }
  private func deep(_ path: String) -> StorageFolder { StorageFolder(path: path, isDeep: true) }

  @Test func `R95 a change names its folder only, and a move both places`() throws {
    #expect(try named { try folder.write("one/new.jpg") } == [shallow("one")])
    #expect(try named { try folder.write("new.jpg") } == [shallow("")])
    #expect(try named { try folder.move("one/new.jpg", to: "two/new.jpg") } == [shallow("one"), shallow("two")])
    #expect(try named { try folder.remove("one/deep/c.jpg") } == [shallow("one/deep")])
  }

  @Test func `R95 a moved folder is named in both places with its contents and stays watched`() throws {
    #expect(try named { try folder.move("one", to: "two/one") } == [deep("one"), deep("two/one")])
    #expect(try named { try folder.write("two/one/deep/later.jpg") } == [shallow("two/one/deep")])
    // A folder that left is not watched any more.
    let other = try TemporaryFolder()
    #expect(try named { _ = rename(folder.path + "/two/one", other.path + "/one") } == [deep("two/one")])
    #expect(other.exists("one"))
    try other.write("one/b2.jpg")
    #expect(try !storage.waitForChanges(milliseconds: 300))
  }

  @Test func `folders and files with similar names are separate`() throws {
    let names = ["caf\u{e9}", "cafe\u{301}"]
    for name in names { try folder.write("\(name)/\(name).jpg", bytes: name) }
    try storage.settle()
    let found = try storage.everything().items.filter { $0.primary.locator.contains("caf") }
    #expect(Set(found.map { Array($0.primary.locator.utf8) }) == Set(names.map { Array("\($0)/\($0).jpg".utf8) }))
    for name in names {
      let places = try #require(try named { try folder.write("\(name)/more.jpg") })
      #expect(places.map { Array($0.path.utf8) } == [Array(name.utf8)])
    }
    let all = StorageFolder.reduced(names.map { StorageFolder(path: $0, isDeep: true) })
    #expect(all.count == 2 && all.filter { $0.contains("\(names[0])/x.jpg") }.count == 1)
    try storage.trash(locator: "\(names[1])/\(names[1]).jpg")
    #expect(folder.exists("\(names[0])/\(names[0]).jpg") && !folder.exists("\(names[1])/\(names[1]).jpg"))
  }

  @Test func `a letter that combines with a slash hides no component`() throws {
    #expect(try RelativePath("\u{600}/a.jpg").components.count == 2)
    #expect(throws: PluginError.self) { try RelativePath("\u{600}/../a.jpg") }
  }

  @Test func `the first answer and one after lost events name nothing and so cause a full scan`() throws {
    let fresh = try folder.storage()
    #expect(try fresh.waitForChanges(milliseconds: 0))
    #expect(fresh.changedFolders() == nil)
  }

  @Test(arguments: [
    ([""], false, ["a.jpg"]), (["one"], false, ["one/b.jpg"]), (["one"], true, ["one/b.jpg", "one/deep/c.jpg"]),
    (["one", "two"], false, ["one/b.jpg", "two/d.jpg"]), (["gone", "one/deep"], true, ["one/deep/c.jpg"]),
    (["a.jpg", "one/b.jpg/x", "../one", ".", ".hidden"], true, [] as [String]),
    (["one", "one/deep"], true, ["one/b.jpg", "one/deep/c.jpg"]),
  ])
  func `a scan of some folders equals a full scan's part`(
    _ paths: [String], _ isDeep: Bool, _ expected: [String]
  )
    throws
  {
    let folders = paths.filter { !$0.hasPrefix(".") }.map { StorageFolder(path: $0, isDeep: isDeep) }
    let page = try storage.enumerate(folders: folders, page: nil)
    #expect(page.items.map(\.primary.locator).sorted() == expected)
    let all = try storage.everything().items
    #expect(Set(page.items.map(\.primary)).isSubset(of: Set(all.map(\.primary))))
  }

  @Test func `an unreadable folder is named, and others' files are returned`() throws {
    chmod(folder.path + "/one", 0)
    chmod(folder.path, 0o755)
    defer { chmod(folder.path + "/one", 0o755) }
    let all = try asOrdinaryUser { try storage.enumerate(page: nil) }
    #expect(all.unreadable == ["one"])
    #expect(all.items.count == 3)
    let below = try asOrdinaryUser { try storage.enumerate(folders: [deep("one/deep")], page: nil) }
    #expect(below.unreadable == ["one"])
    // Without search permission names are readable and types are not.
    chmod(folder.path + "/one", 0o444)
    let named = try asOrdinaryUser { try storage.enumerate(page: nil) }
    #expect(named.unreadable.first == "one")
  }

  @Test func `the served folder is a volume, and another one in its place another volume`() throws {
    let volumes = try storage.enumerate(page: nil).volumes
    #expect(volumes.map(\.path) == [""])
    #expect(try storage.enumerate(folders: [shallow("two")], page: nil).volumes == volumes)
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-away")
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    #expect(try storage.enumerate(page: nil).volumes != volumes)
    // The watched folder is no longer the served one.
    #expect(try storage.waitForChanges(milliseconds: 1_000))
    #expect(storage.changedFolders() == nil)
    try FileManager.default.removeItem(atPath: folder.path)
    try FileManager.default.moveItem(atPath: folder.path + "-away", toPath: folder.path)
    #expect(try storage.enumerate(page: nil).volumes == volumes)
  }
}
