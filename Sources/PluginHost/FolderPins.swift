import CLinux
import Glibc
package import UnixSocket

/// Which folders a plugin's options named when its storage was opened. Whose they are is checked
/// once, and what the plugin does it does in these: a path, or a link on the way, may lead to
/// another owner's folder at any time after that.
package struct FolderPins: Sendable, Equatable {
  /// By their paths; nil: no folder, but a file.
  private let folders: [String: FileIdentity?]

  /// Of a plugin that is not held to any.
  package init() { folders = [:] }

  /// Looks where options lead. Blocks.
  package init(_ options: [String: String]) {
    let paths = Set(options.values.filter { $0.hasPrefix("/") })
    folders = Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.look($0)) })
  }

  /// The folder that a path is to lead to; ``FileIdentity/none`` where there was none. Nil: it may lead to anything.
  package subscript(path: String) -> FileIdentity? { folders[path] ?? nil }

  /// By the names of options that lead to them, as a plugin is told it.
  func named(by options: [String: String]) -> [String: String] { options.compactMapValues { self[$0]?.description } }

  /// Whether all of the paths still lead where they did. Blocks.
  package var areInPlace: Bool { folders.allSatisfy { Self.look($0.key) == $0.value } }

  /// Whether a folder that a plugin serves is one of them, or lies in one.
  /// - Parameters:
  ///   - lineage: The folder, and those that it lies in.
  ///   - path: As the plugin names it.
  ///   - isBelieved: Whether it may be one that no option names.
  package func include(_ lineage: [FileIdentity], at path: String, isBelieved: Bool) -> Bool {
    let naming = folders.filter { path.utf8.elementsEqual($0.key.utf8) || path.utf8.starts(with: ($0.key + "/").utf8) }
    guard !naming.isEmpty else { return isBelieved || folders.isEmpty || holdAny(of: lineage, folders) }
    return holdAny(of: lineage, naming)
  }

  private func holdAny(of lineage: [FileIdentity], _ folders: [String: FileIdentity?]) -> Bool {
    folders.values.contains { folder in folder.map(lineage.contains) ?? false }
  }

  private static func look(_ path: String) -> FileIdentity? {
    let folder = clinux_openat2(AT_FDCWD, path, UInt64(O_RDONLY | O_DIRECTORY | O_NONBLOCK), 0, 0)
    if folder >= 0 { return identity(FileDescriptor(owning: folder)) }
    guard folder == -ENOTDIR else { return FileIdentity.none }
    let place = clinux_open_place(path)
    guard place >= 0 else { return FileIdentity.none }
    close(place)
    return nil
  }

  private static func identity(_ folder: borrowing FileDescriptor) -> FileIdentity {
    FileIdentity(of: folder.number) ?? .none
  }
}
