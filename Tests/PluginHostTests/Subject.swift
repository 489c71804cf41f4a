import Foundation
import PhotoModel
import PluginHost
import PluginKit

/// One storage plugin as each of the three ways to run one offers it.
enum Subject {
  case inProcess(any StorageBackend)
  case isolated(IsolatedStorage)

  enum Way: String, CaseIterable, Sendable { case inProcess, host, program }

  init(_ way: Way, _ installed: Installed, options: [String: String] = [:]) throws {
    let options = ["path": installed.photos].merging(options) { _, new in new }
    switch way {
    case .inProcess:
      let registry = try PluginObject.load(Installed.products + "/libdirectory.so")
      self = .inProcess(try registry.makeStorage("directory", options: options))
    case .host:
      self = .isolated(
        IsolatedStorage(
          name: "directory", settings: PluginSettings(options: options), program: try Installed.finder.program(for: "directory")))
    case .program:
      try installed.install("folder", python: PythonPlugin.folder)
      self = .isolated(
        IsolatedStorage(name: "folder", settings: PluginSettings(options: options), program: try installed.finder.program(for: "folder")))
    }
  }

  func facts() throws -> StorageFacts {
    switch self {
    case .inProcess(let backend): try backend.facts()
    case .isolated(let storage): try storage.facts()
    }
  }

  func everything() throws -> [StorageItem] {
    switch self {
    case .isolated(let storage): return try storage.enumerate { _ in }.items
    case .inProcess(let backend):
      var items: [StorageItem] = []
      var page: String?
      repeat {
        let found = try backend.enumerate(page: page)
        items += found.items
        page = found.next
      } while page != nil
      return items
    }
  }

  func primaries() throws -> [String] { try everything().map(\.primary.locator).sorted() }

  func waitForChanges(milliseconds: Int) throws -> Bool {
    switch self {
    case .inProcess(let backend): try backend.waitForChanges(milliseconds: milliseconds)
    case .isolated(let storage): try storage.waitForChanges(milliseconds: milliseconds) != .nothing
    }
  }

  func add(_ name: String, _ text: String, _ installed: Installed) throws -> StorageItem {
    let contents = try installed.descriptor(text)
    defer { close(contents) }
    return switch self {
    case .inProcess(let backend): try backend.add(name: name, contents: contents, size: Int64(text.utf8.count))
    case .isolated(let storage): try storage.add(name: name, contents: contents, size: Int64(text.utf8.count))
    }
  }

  func trash(_ locator: String) throws {
    switch self {
    case .inProcess(let backend): try backend.trash(locator: locator)
    case .isolated(let storage): try storage.trash(locator: locator)
    }
  }

  func restore(_ locator: String) throws {
    switch self {
    case .inProcess(let backend): try backend.restore(locator: locator)
    case .isolated(let storage): try storage.restore(locator: locator)
    }
  }

  func stop() { if case .isolated(let storage) = self { storage.stop() } }
}

/// A plugin's error, whichever way it came.
func code(_ error: any Error) -> PluginError.Code? {
  (error as? PluginError)?.code ?? (error as? PluginFailure)?.code
}
