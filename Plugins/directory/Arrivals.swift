import CDirectoryStorage
import Glibc
import PhotoModel

/// New file names whose writer may still be writing.
///
/// A file that is being written sends another event when it is closed. A link to a complete file,
/// with or without an earlier name, sends no other event.
struct Arrivals {
  /// Time without a change after which a file counts as complete.
  static let quiet = Duration.seconds(5)
  /// Writing updates mtime and ctime together, in units that differ on some file systems. Linking
  /// updates ctime alone.
  private static let writingSeconds: UInt64 = 2

  private struct Arrival {
    let name: String
    let folder: String
    var due: ContinuousClock.Instant
    /// State at the last check; nil before the first.
    var state: State?
  }

  private struct State: Equatable {
    let size: Int64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
  }

  private var waiting: [ExactText: Arrival] = [:]

  var isEmpty: Bool { waiting.isEmpty }

  mutating func note(_ name: String, in folder: String, now: ContinuousClock.Instant) {
    waiting[Self.key(name, folder)] = Arrival(name: name, folder: folder, due: now)
  }

  func contains(_ name: String, in folder: String) -> Bool {
    !waiting.isEmpty && waiting[Self.key(name, folder)] != nil
  }

  mutating func forget(_ name: String, in folder: String) {
    if !waiting.isEmpty { waiting[Self.key(name, folder)] = nil }
  }

  /// Time until the next check in milliseconds; at most a minute.
  func milliseconds(from now: ContinuousClock.Instant) -> Int {
    let next = waiting.values.map { $0.due - now }.min() ?? .seconds(60)
    return Int(max(.zero, min(.seconds(60), next)) / .milliseconds(1)) + 1
  }

  /// Returns the folders with newly complete files. Complete, empty and missing files are no longer
  /// tracked.
  mutating func takeWhole(below root: Folder, now: ContinuousClock.Instant) -> Set<String> {
    var folders: Set<String> = []
    for (place, arrivals) in Dictionary(grouping: waiting, by: { ExactText($0.value.folder) }) {
      let path = try? RelativePath(place.text)
      let folder = path.flatMap { try? root.folderIfPresent($0) }
      for (key, arrival) in arrivals {
        guard case .success(let facts)? = folder?.look(arrival.name), facts.isFile else {
          waiting[key] = nil
          continue
        }
        let state = State(
          size: facts.size, modifiedSeconds: facts.modified_seconds, modifiedNanoseconds: facts.modified_nanoseconds)
        let isAtRest = now >= arrival.due && state == arrival.state
        if Self.isLink(facts) || isAtRest {
          waiting[key] = nil
          if facts.size > 0 { folders.insert(place.text) }
        } else if now >= arrival.due {
          waiting[key]?.due = now + Self.quiet
          waiting[key]?.state = state
        }
      }
    }
    return folders
  }

  private static func isLink(_ facts: directory_entry_facts) -> Bool {
    facts.links > 1 || (facts.size > 0 && (facts.changed_seconds &- facts.modified_seconds).magnitude > writingSeconds)
  }

  private static func key(_ name: String, _ folder: String) -> ExactText {
    ExactText(folder.isEmpty ? name : "\(folder)/\(name)")
  }
}
