import Broker
import PhotoModel

/// Which commits are written next. A revocation waits neither for all that has come before it nor for all that is large: what is small
/// is written in the order in which it came, in groups of a bounded size, and what is large one by one in between.
///
/// Whatever concerns one library keeps its order, and all that is small does.
struct CommitTurns {
  /// Commits in one transaction at most: so that the first does not wait long for the last.
  static let groupLimit = 256
  /// Changes in one transaction at most, where it is of several commits.
  static let groupChanges = 2_048
  /// With more changes of what a library holds a commit is a large one.
  static let smallChanges = 512

  private var queue: [PendingCommit] = []
  private var large: [(library: LibraryName, commit: PendingCommit)] = []
  /// Whether what was taken last is of the queue.
  private var wasQueues = false

  var isEmpty: Bool { queue.isEmpty && large.isEmpty }

  mutating func add(_ commit: PendingCommit) {
    if commit.changes.count > Self.smallChanges, let library = commit.onlyLibrary { return large.append((library, commit)) }
    if !large.isEmpty {
      queue += large.lazy.filter { commit.concerns($0.library) }.map(\.commit)
      large.removeAll { commit.concerns($0.library) }
    }
    queue.append(commit)
  }

  /// Takes what is written together.
  mutating func next() -> [PendingCommit] {
    guard large.isEmpty || (!wasQueues && !queue.isEmpty) else {
      wasQueues = false
      return [large.removeFirst().commit]
    }
    wasQueues = true
    var (count, changes) = (0, 0)
    for commit in queue.prefix(Self.groupLimit) {
      changes += commit.changes.count
      guard count == 0 || changes <= Self.groupChanges else { break }
      count += 1
    }
    defer { queue.removeFirst(count) }
    return Array(queue.prefix(count))
  }
}

extension PendingCommit {
  /// The library of which this changes what it holds, where it changes nothing else.
  fileprivate var onlyLibrary: LibraryName? {
    guard let library = changes.first?.contentsLibrary, changes.allSatisfy({ $0.contentsLibrary == library }) else { return nil }
    return library
  }

  /// Whether this must not be written before what came earlier of a library.
  fileprivate func concerns(_ library: LibraryName) -> Bool {
    changes.contains { change in
      switch change {
      case .putLibrary(let record): record.name == library
      case .putGrant(let record): record.key.library == library
      case .removeGrant(let key), .putSelection(let key, _), .removeSelection(let key): key.library == library
      case .putRule(let record): record.library == library
      case .removeLibrary(let name), .removeRule(let name, _): name == library
      case .putApp, .putToken, .revokeToken, .forgetToken, .putPrompt, .removePrompt, .putSetting(name: SettingName.epochFloor, _): false
      case .removeApp, .putSetting: true
      default: change.contentsLibrary == library
      }
    }
  }
}

extension StoreChange {
  /// The library of whose content this is, or of its records; nil: it is about rights or settings.
  fileprivate var contentsLibrary: LibraryName? {
    switch self {
    case .putAsset(let library, _), .updateRow(let library, _, _), .setCaption(let library, _, _), .clearEdited(let library, _, _),
      .putConflict(let library, _, _), .awaitTrash(let library, _, _), .noteDeletion(let library, _, _), .noteDigest(let library, _, _, _),
      .removeAsset(let library, _),
      .putAway(let library, _, _), .markAway(let library, _, _), .decideAway(let library, _, _), .endAway(let library, _),
      .trimAway(let library, _, _),
      .putAlbum(let library, _), .removeAlbum(let library, _), .keepCatalogue(let library, _), .appendChanges(let library, _),
      .foldChanges(let library, _, _), .trimChanges(let library, _), .notePick(let library, _, _, _):
      library
    case .decide(let record, _, _): record.library
    default: nil
    }
  }
}
