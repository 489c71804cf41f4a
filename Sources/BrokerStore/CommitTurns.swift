import Broker
import PhotoModel

/// The order in which commits are written. A revocation waits neither for all earlier commits nor
/// for large ones. Small commits are written in order in groups of bounded size, and large ones one
/// by one between the groups.
///
/// A revocation overtakes changes of other libraries' content, and is written without the commits
/// after it; then all others have a turn. It never overtakes a change of rights, which could grant
/// the revoked access again. Nor does it overtake a commit about its own library, whose rows depend
/// on each other. All other small commits, and all commits about one library, keep their order.
struct CommitTurns {
  /// Limit of commits in one transaction, so that the first does not wait long for the last.
  static let groupLimit = 256
  /// Limit of changes in a transaction of several commits.
  static let groupChanges = 2_048
  /// A commit with more changes of a library's content is large.
  static let smallChanges = 512

  /// Small commits. `library` is set if a commit changes nothing but that library's content.
  private var queue: [(library: LibraryName?, commit: PendingCommit)] = []
  private var large: [(library: LibraryName, commit: PendingCommit)] = []
  /// Whether the last group came from `queue`.
  private var wasQueues = false
  /// Whether the last group from `queue` was revocations that overtook others.
  private var wasRevocations = false

  var isEmpty: Bool { queue.isEmpty && large.isEmpty }

  mutating func add(_ commit: PendingCommit) {
    let library = commit.onlyLibrary
    if commit.size > Self.smallChanges, let library { return large.append((library, commit)) }
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

  mutating func next() -> [PendingCommit] {
    let revocations = wasRevocations ? 0 : queue.prefix { $0.commit.isRevocation }.count
    guard large.isEmpty || (!queue.isEmpty && (!wasQueues || revocations > 0)) else {
      wasQueues = false
      return [large.removeFirst().commit]
    }
    (wasQueues, wasRevocations) = (true, revocations > 0)
    var (count, changes) = (0, 0)
    for (_, commit) in queue.prefix(revocations > 0 ? min(revocations, Self.groupLimit) : Self.groupLimit) {
      changes += commit.size
      guard count == 0 || changes <= Self.groupChanges else { break }
      count += 1
    }
    defer { queue.removeFirst(count) }
    return queue.prefix(count).map(\.commit)
  }
}

extension PendingCommit {
  /// Rows that its changes write, roughly: an album has one for each member.
  fileprivate var size: Int {
    changes.reduce(0) { if case .putAlbum(_, let album) = $1 { $0 + 1 + album.members.count } else { $0 + 1 } }
  }

  /// The library, if this commit changes nothing but that library's content.
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

  /// Whether this must not overtake earlier commits about a library.
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
  /// The library whose content or records this changes; nil for changes of rights and settings.
  fileprivate var contentsLibrary: LibraryName? {
    switch self {
    case .takeBudget(let library, _), .putAsset(let library, _), .updateRow(let library, _, _),
      .setCaption(let library, _, _),
      .awaitTrash(let library, _, _), .noteDeletion(let library, _, _), .noteDigest(let library, _, _, _),
      .removeAsset(let library, _), .noteMissing(let library, _, _),
      .putAlbum(let library, _), .removeAlbum(let library, _), .keepCatalogue(let library, _),
      .appendChanges(let library, _),
      .foldChanges(let library, _, _), .trimChanges(let library, _), .notePick(let library, _, _, _):
      library
    case .decide(let record, _, _): record.library
    default: nil
    }
  }
}
