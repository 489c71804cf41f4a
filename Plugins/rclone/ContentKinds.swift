import PhotoModel
import PluginKit

/// The kinds of files by name or, where it tells none, by first bytes. A version of a file is read
/// once in the life of this process.
final class ContentKinds {
  /// Time for reading in one scan. Its list waits meanwhile, and a page must answer in a minute.
  private static let time = Duration.seconds(20)
  /// Concurrent runs of rclone, of 13 MiB each.
  private static let batch = 4
  private static let knownLimit = 200_000

  private let begin: (ListedFile) throws(PluginError) -> RcloneProcess
  private var known: [ExactText: (version: String, kind: FileKind)] = [:]
  private var end = ContinuousClock.now

  /// - Parameter begin: starts to print the first ``FileKind/signatureBytes`` of a file.
  init(_ begin: @escaping (ListedFile) throws(PluginError) -> RcloneProcess) { self.begin = begin }

  func beginScan() {
    end = .now + Self.time
    if known.count > Self.knownLimit { known = [:] }
  }

  /// Whether a path is a photo, a video or a sidecar by its name, or by the bytes last read.
  func isMedia(_ path: String) -> Bool { FileKind(path) != .other || known[ExactText(path)]?.kind ?? .other != .other }

  /// - Returns: nil for a file that is not read yet.
  func kind(of file: ListedFile) -> FileKind? {
    let kind = FileKind(file.name)
    return kind == .other ? content(of: file) : kind
  }

  /// The kind by first bytes alone; nil if they are not read yet.
  func content(of file: ListedFile) -> FileKind? {
    guard file.size > 0 else { return .other }
    return known[ExactText(file.path)].flatMap { $0.version == file.contentVersion ? $0.kind : nil }
  }

  /// Reads the unread files of these, while the scan has time for it.
  func read(_ files: [ListedFile]) {
    var rest = files.filter { content(of: $0) == nil }[...]
    while !rest.isEmpty, ContinuousClock.now < end {
      let begun = rest.prefix(Self.batch).map { file in (file, try? begin(file)) }
      rest = rest.dropFirst(begun.count)
      for (file, process) in begun {
        guard let head = try? process?.readAll(limit: FileKind.signatureBytes), (try? process?.finish()) != nil,
          head.count == min(Int(file.size), FileKind.signatureBytes)
        else { continue }
        known[ExactText(file.path)] = (file.contentVersion, FileKind(file.name, signature: head))
      }
    }
  }
}
