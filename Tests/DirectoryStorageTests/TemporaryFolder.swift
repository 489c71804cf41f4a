import Foundation
import Glibc
import PhotoModel
import PluginKit
import Testing

@testable import DirectoryStorage

/// A folder for one test, with a person's actions in it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/directory-storage-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func url(_ name: String) -> URL { URL(fileURLWithPath: path + "/" + name) }

  func write(_ names: String..., bytes: String = "photo") throws {
    for name in names {
      try FileManager.default.createDirectory(
        at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes.utf8).write(to: url(name))
    }
  }

  func move(_ name: String, to other: String) throws { try FileManager.default.moveItem(at: url(name), to: url(other)) }
  func remove(_ name: String) throws { try FileManager.default.removeItem(at: url(name)) }
  func exists(_ name: String) -> Bool { access(path + "/" + name, F_OK) == 0 }
  func text(_ name: String) -> String? { try? String(contentsOf: url(name), encoding: .utf8) }

  /// - Parameters:
  ///   - isHeld: whether the storage is pinned to this folder, as by the broker.
  ///   - owner: the library's owner, as the broker passes it.
  func storage(
    _ options: [String: String] = [:], watchLimit: Int = .max, isHeld: Bool = false, owner: UInt32? = nil
  ) throws -> DirectoryStorage {
    let given = ["path": path].merging(options) { _, new in new }
    let folders = isHeld ? ["path": try identity()] : [:]
    return try DirectoryStorage(
      options: PluginOptions(given, folders: folders, owner: owner, for: DirectoryStorage.options),
      watchLimit: watchLimit)
  }

  /// Returns the folder's identity as the broker passes it.
  func identity() throws -> String {
    try #require(Folder(path: path).identity).description
  }
}

extension DirectoryStorage {
  /// Reads every page.
  func everything() throws -> (items: [StorageItem], skipped: Int) {
    let (items, leftOut) = try list()
    return (items, leftOut.count)
  }

  func list() throws -> (items: [StorageItem], leftOut: [LeftOutFile]) {
    var items: [StorageItem] = []
    var leftOut: [LeftOutFile] = []
    var page: String?
    repeat {
      let found = try enumerate(page: page)
      items += found.items
      leftOut += found.leftOut
      #expect(found.skipped == 0 && found.items.count + found.leftOut.count <= DirectoryStorage.pageSize)
      page = found.next
    } while page != nil
    return (items, leftOut)
  }

  /// Returns the paths of the primary files.
  func primaries() throws -> [String] { try everything().items.map(\.primary.locator).sorted() }

  /// Waits until the watcher has no more changes.
  func settle() throws {
    while try waitForChanges(milliseconds: 200) {}
  }
}

/// Runs a body with an ordinary user's file system identity on this thread, if the tests run as
/// root.
func asOrdinaryUser<R>(_ body: () throws -> R) rethrows -> R {
  guard geteuid() == 0 else { return try body() }
  _ = setFileSystemUser(54_321)
  defer { _ = setFileSystemUser(0) }
  return try body()
}

/// Swift's Glibc module has no sys/fsuid.h.
@_silgen_name("setfsuid") private func setFileSystemUser(_ user: UInt32) -> Int32
