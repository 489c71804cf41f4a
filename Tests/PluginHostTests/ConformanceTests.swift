import Foundation
import Glibc
import PhotoModel
import PluginHost
import PluginKit
import Testing

/// Requirements of every storage backend, in each of the three ways to run one.
struct ConformanceTests {
  let installed: Installed
  init() throws {
    installed = try Installed()
    try installed.write("a.jpg", "one")
    try installed.write("sub/b.mov", "two")
  }

  @Test(arguments: Subject.Way.allCases) func `everything is listed once with its files`(_ way: Subject.Way)
    throws
  {
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    #expect(try subject.facts().root == installed.photos)
    #expect(try !subject.facts().isReadOnly)
    let items = try subject.everything().sorted { $0.primary.locator < $1.primary.locator }
    #expect(items.map(\.primary.locator) == ["a.jpg", "sub/b.mov"])
    #expect(items.map(\.primary.filename) == ["a.jpg", "b.mov"])
    #expect(items.map(\.primary.size) == [3, 3])
    #expect(items.allSatisfy { $0.source == .userLibrary && $0.primary.role == .original })
    let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
    #expect(items.allSatisfy { abs($0.primary.modified.microseconds - now) < 60_000_000 })
  }

  @Test(arguments: Subject.Way.allCases) func `thousands of items come in pages`(_ way: Subject.Way) throws {
    for number in 0..<2_500 { close(open("\(installed.photos)/\(number).jpg", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    let names = try subject.primaries()
    #expect(names.count == 2_502)
    #expect(Set(names).count == 2_502)
  }

  @Test(arguments: Subject.Way.allCases) func `a change is noticed, and versions and identity describe it`(
    _ way: Subject.Way
  ) throws {
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    #expect(try subject.waitForChanges(milliseconds: 0))
    let before = try subject.everything()
    while try subject.waitForChanges(milliseconds: 200) {}
    try installed.write("a.jpg", "other")
    #expect(rename(installed.photos + "/sub/b.mov", installed.photos + "/c.mov") == 0)
    #expect(try subject.waitForChanges(milliseconds: 3_000))
    let after = try subject.everything()
    func file(_ items: [StorageItem], _ name: String) throws -> ItemFile {
      try #require(items.first { $0.primary.locator == name }).primary
    }
    #expect(try file(before, "a.jpg").contentVersion != file(after, "a.jpg").contentVersion)
    #expect(try file(before, "sub/b.mov").identityHint == file(after, "c.mov").identityHint)
    #expect(try file(before, "sub/b.mov").contentVersion == file(after, "c.mov").contentVersion)
  }

  @Test(arguments: Subject.Way.allCases) func `an added file is there, and nothing is overwritten`(_ way: Subject.Way)
    throws
  {
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    let first = try subject.add("new.jpg", "first", installed).primary
    let second = try subject.add("new.jpg", "second", installed).primary
    #expect(first.locator != second.locator)
    #expect(installed.text(first.locator) == "first")
    #expect(installed.text(second.locator) == "second")
    #expect(try Set(subject.primaries()).isSuperset(of: [first.locator, second.locator]))
  }

  @Test(arguments: Subject.Way.allCases) func `a staged file gets its name later, if the plugin offers staging`(
    _ way: Subject.Way
  ) throws {
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    // A program without that capability is never asked.
    guard way != .program else {
      #expect { try subject.stage("staged", installed) } throws: { code($0) == .unsupported }
      return
    }
    let before = try subject.primaries()
    let staged = try subject.stage("staged", installed)
    #expect(try subject.primaries() == before)
    let item = try subject.storage.publish(staged, name: "named.jpg").primary
    #expect(item.identityHint == staged.identityHint && installed.text(item.locator) == "staged")
    #expect(try Set(subject.primaries()) == Set(before + [item.locator]))
    #expect { try subject.storage.publish(staged, name: "again.jpg") } throws: { code($0) == .notFound }
    #expect { try subject.storage.withdraw(locator: item.locator, identityHint: "1", size: 6) } throws: {
      code($0) == .notFound
    }
    #expect(installed.text(item.locator) == "staged")
    try subject.storage.withdraw(locator: item.locator, identityHint: staged.identityHint, size: 6)
    #expect(try subject.primaries() == before)
    let other = try subject.stage("discarded", installed)
    for _ in 0..<2 { try subject.storage.discard(other) }
    #expect { try subject.storage.publish(other, name: "gone.jpg") } throws: { code($0) == .notFound }
  }

  @Test(arguments: Subject.Way.allCases) func `a trashed file is restored`(_ way: Subject.Way) throws {
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    let before = try subject.everything()
    try subject.trash("sub/b.mov")
    try subject.trash("sub/b.mov")
    #expect(try subject.primaries() == ["a.jpg"])
    try subject.restore("sub/b.mov")
    #expect(Set(try subject.everything()) == Set(before))
    #expect { try subject.restore("sub/b.mov") } throws: { code($0) == .notFound }
  }

  @Test(arguments: Subject.Way.allCases) func `R142 of two trashed files of one name the intended one is restored`(
    _ way: Subject.Way
  ) throws {
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    let files = try ["first", "second"].map { text in
      let file = try subject.add("new.jpg", text, installed).primary
      try subject.trash(file)
      return file
    }
    #expect(files[0].locator == files[1].locator)
    for (file, text) in zip(files, ["first", "second"]) {
      try subject.restore(file)
      #expect(installed.text(file.locator) == text)
      #expect(try subject.everything().contains { $0.primary == file })
      try subject.trash(file)
    }
    for (file, text) in zip(files, ["first", "second"]) where subject.showsTrash {
      #expect(installed.text(try subject.storage.findTrashed(locator: file.locator, known: KnownFile(file))) == text)
    }
    var another = files[0]
    (another.contentVersion, another.identityHint) = ("another", "another")
    #expect { try subject.restore(another) } throws: { code($0) == .notFound }
    #expect {
      try subject.storage.findTrashed(locator: another.locator, known: KnownFile(another))
    } throws: {
      code($0) == (subject.showsTrash ? .notFound : .unsupported)
    }
  }

  @Test(arguments: Subject.Way.allCases) func `a wrong option is named every time`(_ way: Subject.Way) throws {
    for _ in 0..<7 {
      #expect {
        let subject = try Subject(way, installed, options: ["colour": "blue"])
        defer { subject.stop() }
        _ = try subject.facts()
      } throws: { code($0) == .invalidOption && "\($0)".contains("colour") }
    }
  }

  @Test(arguments: Subject.Way.allCases) func `a missing folder is offline and recovers`(_ way: Subject.Way)
    throws
  {
    let subject = try Subject(way, installed)
    defer { subject.stop() }
    let away = installed.folder + "/away"
    #expect(try subject.primaries().count == 2)
    #expect(rename(installed.photos, away) == 0)
    #expect { try subject.everything() } throws: { code($0) == .offline }
    #expect { try subject.facts() } throws: { code($0) == .offline }
    #expect(rename(away, installed.photos) == 0)
    #expect(try subject.primaries().count == 2)
  }
}
