import Foundation
import PhotoModel
import PluginHost
import PluginKit

/// The directory storage, run in one of three ways: in the daemon, in the plugin host, or as its own
/// program.
struct Subject {
  enum Way: String, CaseIterable, Sendable { case daemon, host, program }

  let storage: any StoragePlugin
  /// The program in Python declares the usual calls alone.
  let showsTrash: Bool

  init(_ way: Way, _ installed: Installed, options: [String: String] = [:]) throws {
    let settings = PluginSettings(options: ["path": installed.photos].merging(options) { _, new in new })
    showsTrash = way != .program
    storage =
      switch way {
      case .daemon: TrustedStorage(name: "directory", settings: settings, object: try Installed.object("directory"))
      case .host:
        IsolatedStorage(name: "directory", settings: settings, program: try Installed.finder.program(for: "directory"))
      case .program: try Self.folder(settings, installed)
      }
  }

  private static func folder(_ settings: PluginSettings, _ installed: Installed) throws -> IsolatedStorage {
    try installed.install("folder", python: PythonPlugin.folder)
    return IsolatedStorage(name: "folder", settings: settings, program: try installed.finder.program(for: "folder"))
  }

  func facts() throws -> StorageFacts { try storage.facts() }
  func everything() throws -> [StorageItem] { try storage.enumerate(nil) { _ in }.items }
  func primaries() throws -> [String] { try everything().map(\.primary.locator).sorted() }
  func waitForChanges(milliseconds: Int) throws -> Bool {
    try storage.waitForChanges(milliseconds: milliseconds) != .nothing
  }

  func add(_ name: String, _ text: String, _ installed: Installed) throws -> StorageItem {
    let contents = try installed.descriptor(text)
    defer { close(contents) }
    return try storage.add(name: name, contents: contents, size: Int64(text.utf8.count), folder: nil)
  }

  func stage(_ text: String, _ installed: Installed) throws -> StagedFile {
    let contents = try installed.descriptor(text)
    defer { close(contents) }
    return try storage.stage(contents: contents, size: Int64(text.utf8.count))
  }

  func trash(_ locator: String) throws { try storage.trash(locator: locator, known: nil, size: 1) }
  func trash(_ file: ItemFile) throws { try storage.trash(locator: file.locator, known: KnownFile(file), size: 1) }
  func restore(_ locator: String) throws { try storage.restore(locator: locator, known: nil, size: 1) }
  func restore(_ file: ItemFile) throws { try storage.restore(locator: file.locator, known: KnownFile(file), size: 1) }
  func stop() { storage.stop() }
}

extension KnownFile {
  init(_ file: ItemFile) { self.init(contentVersion: file.contentVersion, identityHint: file.identityHint) }
}

/// Returns the code of a plugin's error, from inside or outside the daemon.
func code(_ error: any Error) -> PluginError.Code? {
  (error as? PluginError)?.code ?? (error as? PluginFailure)?.code
}
