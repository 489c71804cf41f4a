import Broker
import PhotoModel

/// Which commits are written next. A revocation waits neither for all that has come before it nor
/// for all that is large: what is small is written in the order in which it came, in groups of a
/// bounded size, and what is large one by one in between.
///
/// A revocation goes before changes of what other libraries hold, and without what comes after it;
/// then all others have their turn. It never goes before a change of rights, which could give again
/// what it takes, nor before anything of its own library, whose rows depend on each other.
/// Everything else that is small, and all that concerns one library, keeps its order.
struct CommitTurns {
  /// Commits in one transaction at most: so that the first does not wait long for the last.
  static let groupLimit = 256
  /// Changes in one transaction at most, where it is of several commits.
  static let groupChanges = 2_048
  /// With more changes of what a library holds a commit is a large one.
  static let smallChanges = 512

  /// With the library of which a commit changes what it holds, where it changes nothing else.
  private var queue: [(library: LibraryName?, commit: PendingCommit)] = []
  private var large: [(library: LibraryName, commit: PendingCommit)] = []
  /// Whether what was taken last is of the queue.
  private var wasQueues = false
  /// Whether what was taken of the queue last are revocations that went first.
  private var wasRevocations = false

  var isEmpty: Bool { queue.isEmpty && large.isEmpty }

  mutating func add(_ commit: PendingCommit) {
    let library = commit.onlyLibrary
    if commit.changes.count > Self.smallChanges, let library { return large.append((library, commit)) }
    if !large.isEmpty {
      queue += large.lazy.filter { commit.concerns($0.library) }.map { ($0.library, $0.commit) }
      large.removeAll { commit.concerns($0.library) }
    }
    var place = queue.count
    if commit.isRevocation {
      while place > 0, let passed = queue[place - 1].library, !commit.concerns(passed) { place -= 1 }
    }
    queue.insert((library, commit), at: place)
  }

  /// Takes what is written together.
  mutating func next() -> [PendingCommit] {
    let revocations = wasRevocations ? 0 : queue.prefix { $0.commit.isRevocation }.count
    guard large.isEmpty || (!queue.isEmpty && (!wasQueues || revocations > 0)) else {
      wasQueues = false
      return [large.removeFirst().commit]
    }
    (wasQueues, wasRevocations) = (true, revocations > 0)
    var (count, changes) = (0, 0)
    for (_, commit) in queue.prefix(revocations > 0 ? min(revocations, Self.groupLimit) : Self.groupLimit) {
      changes += commit.changes.count
      guard count == 0 || changes <= Self.groupChanges else { break }
      count += 1
    }
    defer { queue.removeFirst(count) }
    return queue.prefix(count).map(\.commit)
  }
}

extension PendingCommit {
  /// The library of which this changes what it holds, where it changes nothing else.
  fileprivate var onlyLibrary: LibraryName? {
    guard let library = changes.first?.contentsLibrary, changes.allSatisfy({ $0.contentsLibrary == library }) else {
      return nil
    }
    return library
  }

  /// Whether this takes access away: each such commit raises the epoch.
  fileprivate var isRevocation: Bool {
    changes.contains { if case .putSetting(name: SettingName.epochFloor, _) = $0 { true } else { false } }
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
      case .putApp, .putToken, .revokeToken, .forgetToken, .putPrompt, .removePrompt,
        .putSetting(name: SettingName.epochFloor, _):
        false
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
    case .putAsset(let library, _), .updateRow(let library, _, _), .setCaption(let library, _, _),
      .clearEdited(let library, _, _),
      .putConflict(let library, _, _), .awaitTrash(let library, _, _), .noteDeletion(let library, _, _),
      .noteDigest(let library, _, _, _),
      .removeAsset(let library, _),
      .putAway(let library, _, _), .markAway(let library, _, _), .decideAway(let library, _, _),
      .endAway(let library, _),
      .trimAway(let library, _, _),
      .putAlbum(let library, _), .removeAlbum(let library, _), .keepCatalogue(let library, _),
      .appendChanges(let library, _),
      .foldChanges(let library, _, _), .trimChanges(let library, _), .notePick(let library, _, _, _):
      library
    case .decide(let record, _, _): record.library
    default: nil
    }
  }
}
