import CDirectoryStorage
import Glibc
import PhotoModel

/// Files that got a name, and of whose writer nothing was heard since. One that is being written is
/// told again when it is closed; of a link to what was written before, under another name or under
/// none, nothing more is told.
struct Arrivals {
  /// How long a file that may be either must have stayed the same to be taken for whole.
  static let quiet = Duration.seconds(5)
  /// Writing changes a file's content and the file at one time, which some file systems keep in
  /// different units; a link changes the file alone.
  private static let writingSeconds: UInt64 = 2

  private struct Arrival {
    let name: String
    let folder: String
    var due: ContinuousClock.Instant
    /// What it was when it was last looked at; nil: not yet.
    var state: State?
  }

  private struct State: Equatable {
    let size: Int64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
  }

  /// By path.
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

  /// How long until one of them is to be looked at; at most a minute.
  func milliseconds(from now: ContinuousClock.Instant) -> Int {
    let next = waiting.values.map { $0.due - now }.min() ?? .seconds(60)
    return Int(max(.zero, min(.seconds(60), next)) / .milliseconds(1)) + 1
  }

  /// The folders of those that are whole. These, and what is no file or is empty, are not waited for any more.
  mutating func takeWhole(below root: Folder, now: ContinuousClock.Instant) -> Set<String> {
    var folders: Set<String> = []
    for (place, arrivals) in Dictionary(grouping: waiting, by: { ExactText($0.value.folder) }) {
      let path = try? RelativePath(place.text)
      let folder = path.flatMap { try? root.folderIfPresent($0) }
      for (key, arrival) in arrivals {
        guard case .success(let facts)? = folder?.look(arrival.name), facts.mode & UInt32(S_IFMT) == UInt32(S_IFREG)
        else {
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
