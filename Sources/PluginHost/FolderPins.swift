import CLinux
import Glibc
package import UnixSocket

/// The folders to which a plugin's options led when its storage was opened.
///
/// The owner of these folders is checked once, and the plugin is confined to them. A path, or a
/// link on the way, may lead to another owner's folder later.
package struct FolderPins: Sendable, Equatable {
  /// Folders by path; nil for a path to a file.
  private let folders: [String: FileIdentity?]

  /// Pins nothing.
  package init() { folders = [:] }

  /// Pins the folders at the options' paths. Blocks.
  package init(_ options: [String: String]) {
    let paths = Set(options.values.filter { $0.hasPrefix("/") })
    folders = Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.look($0)) })
  }

  /// The pinned folder of a path; ``FileIdentity/none`` if there was none, nil if the path is not
  /// pinned.
  package subscript(path: String) -> FileIdentity? { folders[path] ?? nil }

  /// Pinned folders by option name, in text form.
  func named(by options: [String: String]) -> [String: String] { options.compactMapValues { self[$0]?.description } }

  /// Whether all paths still lead to their pinned folders. Blocks.
  package var areInPlace: Bool { folders.allSatisfy { Self.look($0.key) == $0.value } }

  /// Whether a served folder is a pinned one, or lies in one.
  /// - Parameters:
  ///   - lineage: the folder and its parents.
  ///   - path: the plugin's path of the folder.
  ///   - isBelieved: whether the plugin may serve a folder that no option names.
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
