import Foundation

/// The file in which a folder's names outlast the process. Its mode is 0600.
final class NamesFile: Sendable {
  /// Most names that are kept; the oldest go first.
  private static let limit = 1_000_000

  private let descriptor: Int32

  /// Opens the file, or makes it; nil if that fails.
  init?(_ url: URL) {
    try? FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    descriptor = open(url.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  func load() -> FolderNames {
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    guard let data = try? file.readToEnd() else { return FolderNames() }
    let text = String(decoding: data, as: UTF8.self)
    let lines = text.split(separator: "\n")
    let kept = lines.suffix(Self.limit)
    let isWhole = text.isEmpty || text.hasSuffix("\n")
    if kept.count < lines.count, ftruncate(descriptor, 0) == 0 {
      append(kept.joined(separator: "\n") + "\n")
    } else if !isWhole {
      append("\n")
    }
    return FolderNames(lines: kept)
  }

  /// A failure costs the names' memory alone, so it is ignored.
  func append(_ lines: String) {
    try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(lines.utf8))
  }
}
