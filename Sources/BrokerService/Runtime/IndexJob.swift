import Broker
import Catalogue
import Delivery
import Glibc
import Indexer
import Limits
import Monitor
import PhotoModel
import PluginHost
import UnixSocket

/// One scan of a library's storage, on a worker. It finds new, changed and missing files and reads
/// their facts.
final class IndexJob: @unchecked Sendable {

  struct Skipped: Sendable, Hashable {
    var locator: String
    var reason: Reason
  }

  struct Unusable: Sendable {
    let contentVersion: String
    let reason: Reason
    /// Number of media-worker timeouts, and the time of the next attempt; nil: none before the file
    /// changes.
    var late: (times: Int, next: MonotonicTime)?
  }

  /// Backoff of a file on which the media worker timed out. The cause may pass; a file that times
  /// out each time is skipped.
  static let latePauses: [Duration] = [.seconds(5), .seconds(60), .seconds(600)]

  struct Outcome: Sendable {
    /// Files that this scan leaves out.
    var found = SkippedFiles.Found()
    /// These with those of folders that were not scanned.
    var skipped = SkippedFiles()
    var hasNewSkips = false
    /// Unusable files by locator. They are not read again before they change.
    var unusable: [ExactText: Unusable] = [:]
    /// The storage's present volumes, with missing ones.
    var volumes: [StorageVolume] = []
    /// Missing or unreadable folders. Their known assets stay.
    var offline: [StorageFolder] = []
    /// Refused or possibly missing files. Their known assets stay.
    var unseen: Set<ExactText> = []
    /// Missing assets that do not count as deleted yet; nil: nothing was compared.
    var missed: Set<AssetNumber>?
    /// The scanned folders; nil: all.
    var folders: [StorageFolder]?
    /// Folders for the next scan, because their files kept moving.
    var due = StorageNews.nothing
    /// Whether a file was busy or changed while it was read, so that a scan should follow soon.
    var isIncomplete = false
    /// New photos without room.
    var waiting = 0
    var failure: Reason?
  }

  /// Assets in one commit, which are also adopted in one turn of the loop, so a call waits for one
  /// batch at most. With 64, one call in a hundred took 1.2 ms or more; with 16 it is 0.7 ms, at
  /// five sixths of the speed.
  private static let batchSize = 16

  let storage: PluginStorage
  let files: LibraryFiles
  let media: any LibraryMedia
  /// The folders to scan; nil: all.
  let folders: [StorageFolder]?
  let volumes: [StorageVolume]
  let builder: AssetBuilder
  let unusable: [ExactText: Unusable]
  private let skippedBefore: SkippedFiles
  let reader: FactsReader
  /// Sidecars that an earlier scan left out, and this one too.
  var leftOutSidecars: [ItemFile] = []
  /// Sidecars that could be read in this scan, or that no photo has.
  private var readSidecars: Set<ExactText> = []
  /// Missing assets that now count as deleted.
  let believed: Set<AssetNumber>
  /// Whether files that keep moving may be left to the next scan.
  let mayPostpone: Bool
  var onProgress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  /// Hands a batch to the library, with the assets that had its files before. The reply says
  /// whether it was committed.
  var onBatch: @Sendable ([AssetMutation], PriorFiles, _ reply: @escaping @Sendable (Bool) -> Void) -> Void = {
    _, _, reply in reply(false)
  }

  /// Asks how many of the new photos the limits still allow.
  var onRoom: @Sendable (Int, _ reply: @escaping @Sendable (Int) -> Void) -> Void = { _, reply in reply(0) }

  /// Reads known assets, with nil all of them. The reply is nil if the store failed.
  var onKnown: @Sendable (AssetScope?, _ reply: @escaping @Sendable (KnownAssets?) -> Void) -> Void = { _, reply in
    reply(nil)
  }

  /// Reads the missing assets that had one of these sidecars. The reply is nil if the store failed.
  var onMissing: @Sendable ([ResourceRecord], _ reply: @escaping @Sendable ([AssetRecord]?) -> Void) -> Void = {
    _, reply in reply(nil)
  }

  init(
    storage: PluginStorage, files: LibraryFiles, media: any LibraryMedia, folders: [StorageFolder]?,
    volumes: [StorageVolume], unusable: [ExactText: Unusable], skipped: SkippedFiles = SkippedFiles(),
    believed: Set<AssetNumber> = [], mayPostpone: Bool,
    builder: AssetBuilder,
    looking: Transfer
  ) {
    self.mayPostpone = mayPostpone
    reader = FactsReader(files: files, media: media, looking: looking)
    self.storage = storage
    self.files = files
    self.media = media
    self.folders = folders
    self.volumes = volumes
    self.builder = builder
    self.unusable = unusable
    skippedBefore = skipped
    self.believed = believed
  }

  func run() -> Outcome {
    var outcome = scan()
    if outcome.failure == nil {
      (outcome.skipped, outcome.hasNewSkips) = skippedBefore.merging(outcome.found, in: outcome.folders)
    }
    return outcome
  }

  private func scan() -> Outcome {
    var outcome = Outcome()
    var compared: ScanComparison
    do throws(StorageFailure) { compared = try compare() } catch {
      outcome.failure = error.reason
      return outcome
    }
    outcome.take(compared.seen, hides: files.source.hides)
    let missed = missed(compared)
    outcome.missed = Set(missed.map(\.row.number))
    outcome.unseen.formUnion(missed.lazy.flatMap(\.resources).map { ExactText($0.locator) })
    compared.keep(missed)
    guard missed.isEmpty || !compared.seen.scan.items.isEmpty || compared.seen.folders != nil else {
      outcome.failure = .missed(missed.count)
      return outcome
    }
    outcome.due = compared.due
    noteUnreadable(compared, &outcome)
    let result = compared.result
    var strays = result.strays
    var prior = compared.priorFiles()
    var pairs = LivePairs()
    let total = result.changed.count + result.new.count
    var done = 0
    var batch: [AssetMutation] = []

    func flush(force: Bool) -> Bool {
      guard !batch.isEmpty, force || batch.count >= Self.batchSize else { return true }
      defer { batch = [] }
      return hand(batch, prior)
    }
    for asset in compared.gone {
      batch.append(.lose(asset.row.number))
      guard flush(force: false) else { return failed(&outcome) }
    }
    var replaced: [StorageItem] = []
    for match in result.changed {
      var item = match.item
      let found = match.needsFacts ? look(into: &item, &outcome) : nil
      if !match.needsFacts || found != nil {
        let record = builder.updated(
          match.known, item, facts: found?.facts, proof: found?.proof,
          companions: found == nil ? [] : reader.companionProofs(item, known: match.known))
        if found != nil, !record.isSamePhoto(as: match.known) {
          batch.append(.lose(match.known.row.number))
          strays += item.removeSidecars(of: match.known)
          replaced.append(item)
        } else {
          batch.append(
            found.map { .reread(record, caption: $0.facts.caption, isFavourite: $0.facts.isFavourite) }
              ?? .update(record))
          pairs.note(record, was: match.known)
        }
      } else if isGone(match, outcome) {
        batch.append(.lose(match.known.row.number))
      }
      done += 1
      if done % 64 == 0 { onProgress(done, total) }
      guard flush(force: false) else { return failed(&outcome) }
    }
    // An unchanged file of a replaced photo brings the photo's asset back, once that is missing.
    guard replaced.isEmpty || flush(force: true) else { return failed(&outcome) }
    // Sorted by path, so that the halves of a Live Photo meet.
    let new = result.new + replaced
    var room = new.isEmpty ? 0 : self.room(for: new.count)
    for whole in new.sorted(by: { $0.primary.locator < $1.primary.locator }) {
      for var item in room > 0 ? detached(whole) : [whole] {
        guard room > 0 || isLeftOut(item.primary) else {
          outcome.waiting += 1
          continue
        }
        if let record = record(of: &item, taking: &strays, &outcome) {
          room -= 1
          if let kept = pairs.take(record) { batch.append(.insert(kept)) }
        }
      }
      reader.forget()
      done += 1
      if done % 64 == 0 { onProgress(done, total) }
      guard flush(force: false) else { return failed(&outcome) }
    }
    // Only halves of Live Photos are left.
    let halves = pairs.waiting
    var others: [AssetRecord] = []
    if !halves.isEmpty {
      // The halves that were committed before are found in the store.
      guard flush(force: true), let found = known(AssetScope(livePhotoIdentifiers: halves)) else {
        return failed(&outcome)
      }
      if pairs.leaveOut(added: found) { outcome.isIncomplete = true }
      others = found.assets
      prior = compared.priorFiles(with: others)
    }
    for mutation in pairs.finish(known: others) {
      batch.append(mutation)
      guard flush(force: false) else { return failed(&outcome) }
    }
    guard flush(force: true) else { return failed(&outcome) }
    for stray in strays { skip(stray.file.locator, Self.otherPhoto, &outcome) }
    readSidecars.formUnion(strays.map { ExactText($0.file.locator) })
    noteDamagedSidecars(compared, &outcome)
    onProgress(total, total)
    return outcome
  }

  /// Whether nothing is left of a known asset: its file moved, and is unusable in its new state. A
  /// damaged file in its place keeps its asset, because a program may be saving it. A file that was
  /// never read before, and is unchanged, loses its asset.
  private func isGone(_ match: Reconciliation.Match, _ outcome: Outcome) -> Bool {
    let file = match.item.primary
    guard let unusable = outcome.unusable[ExactText(file.locator)], !match.known.row.flags.contains(.trashed) else {
      return false
    }
    let original = match.known.resources.first
    if match.known.factsVersion == 0, original?.contentVersion == file.contentVersion { return unusable.late == nil }
    return original.map { ExactText($0.locator) } != ExactText(file.locator)
  }

  /// Reports unchanged files that have become unreadable to the owner. Their assets stay.
  private func noteUnreadable(_ compared: ScanComparison, _ outcome: inout Outcome) {
    let refused = try? files.source.refused(compared.filesNotLookedInto).sorted { $0.locator < $1.locator }
    for file in refused ?? [] { skip(file.locator, Reason(skipping: file.error), &outcome) }
  }

  /// Reports unchanged damaged sidecars of photos that were not read again.
  private func noteDamagedSidecars(_ compared: ScanComparison, _ outcome: inout Outcome) {
    guard !unusable.isEmpty else { return }
    for sidecar in compared.seen.scan.items.compactMap(\.xmpSidecar) + leftOutSidecars {
      let place = ExactText(sidecar.locator)
      guard let known = unusable[place], known.contentVersion == sidecar.contentVersion, outcome.unusable[place] == nil,
        !readSidecars.contains(place)
      else { continue }
      outcome.unusable[place] = known
      skip(sidecar.locator, known.reason, &outcome)
    }
  }

  func skip(_ locator: String, _ reason: Reason, isNamed: Bool = true, _ outcome: inout Outcome) {
    // The number of files in another user's closed folder is also private.
    guard !files.source.hides(locator) else { return }
    outcome.found.add(isNamed ? locator : nil, reason)
  }

  private func failed(_ outcome: inout Outcome) -> Outcome {
    outcome.failure = Reason(
      .stateNotWritten, "The library's state could not be written; free space on the broker's disk.")
    return outcome
  }

  func known(_ scope: AssetScope?) -> KnownAssets? {
    ask { onKnown(scope, $0) } ?? nil
  }

  /// The missing assets that had one of the sidecars that no known asset has.
  func missing(_ items: [StorageItem], known: [AssetRecord]) -> [AssetRecord]? {
    let own = known.lazy.flatMap(\.resources).filter { $0.role == .sidecar }
    let versions = Dictionary(own.map { (ExactText($0.locator), ExactText($0.contentVersion)) }) { $1 }
    let strange = items.lazy.flatMap(\.others).filter { file in
      file.role == .sidecar && versions[ExactText(file.locator)] != ExactText(file.contentVersion)
    }
    return ask { onMissing(strange.map(ResourceRecord.init), $0) } ?? nil
  }

  private func room(for count: Int) -> Int { ask { onRoom(count, $0) } ?? 0 }

  /// Puts a question to the loop and waits for its reply.
  private func ask<Reply: Sendable>(_ question: (@escaping @Sendable (Reply) -> Void) -> Void) -> Reply? {
    let answer = Monitor<Reply?>(nil)
    question { reply in answer.change { $0 = reply } }
    return answer.wait(until: .never) { $0 }
  }

  /// Whether a file is unchanged since it was found unusable, and not due for another attempt.
  func isLeftOut(_ file: ItemFile) -> Bool {
    guard let known = unusable[ExactText(file.locator)], known.contentVersion == file.contentVersion else {
      return false
    }
    return !(known.late?.next.hasPassed ?? false)
  }

  private func hand(_ batch: [AssetMutation], _ prior: PriorFiles) -> Bool {
    ask { onBatch(batch, prior, $0) } ?? false
  }

  /// Nil: the item is skipped, for now or until its file changes.
  func look(into item: inout StorageItem, _ outcome: inout Outcome) -> FactsReader.Found? {
    let file = item.primary
    let before = unusable[ExactText(file.locator)].flatMap { $0.contentVersion == file.contentVersion ? $0 : nil }
    if let known = before, !(known.late?.next.hasPassed ?? false) {
      outcome.unusable[ExactText(file.locator)] = known
      skip(file.locator, known.reason, &outcome)
      return nil
    }
    do throws(LookFailure) {
      var found = try read(item, before)
      if !applySidecars(of: &item, to: &found, &outcome) {
        found = try read(item, before)
        _ = applySidecars(of: &item, to: &found, &outcome)
      }
      if found.facts.version > 0, let sidecar = item.xmpSidecar {
        guard found.facts.isSidecarDamaged else {
          readSidecars.insert(ExactText(sidecar.locator))
          return found
        }
        let reason = Reason(
          .sidecarUnreadable, "it is not readable XMP, so the photo is shown without it")
        outcome.unusable[ExactText(sidecar.locator)] = Unusable(contentVersion: sidecar.contentVersion, reason: reason)
        skip(sidecar.locator, reason, &outcome)
      }
      return found
    } catch {
      switch error {
      case .delivery(let error):
        if [.changedWhileReading, .noSpace, .unreachable, .timedOut, .sourceFailed].contains(error.code) {
          outcome.isIncomplete = true
        }
        // A file outside the root is not named to the owner, whatever the storage listed. Remote
        // files have no root.
        let mayBeOutside = !files.source.isFar && [.notFound, .unreachable, .outsideRoot].contains(error.code)
        // A file that is certainly outside is not counted either.
        if !files.source.isFar, error.code == .outsideRoot { return nil }
        let reason = Reason(skipping: error, limit: reader.largestServed(file))
        skip(file.locator, reason, isNamed: !mayBeOutside, &outcome)
      case .media(let error):
        switch error.code {
        case .unavailable: outcome.isIncomplete = true
        case .unusable:
          let pause = pause(after: error, before)
          outcome.unusable[ExactText(file.locator)] = Unusable(
            contentVersion: file.contentVersion, reason: error.reason,
            late: pause.map { ((before?.late?.times ?? 0) + 1, .after($0)) })
        }
        skip(file.locator, error.reason, &outcome)
      }
      return nil
    }
  }

  /// The facts of a file, or its type alone if its decoders failed for good.
  private func read(_ item: StorageItem, _ before: Unusable?) throws(LookFailure) -> FactsReader.Found {
    do throws(LookFailure) { return try reader.found(in: item) } catch {
      guard case .media(let failure) = error, failure.isOfDecoders, pause(after: failure, before) == nil else {
        throw error
      }
      return try reader.found(in: item, bySignature: true)
    }
  }

  /// The backoff before a file is read again; nil if it is not.
  private func pause(after failure: MediaFailure, _ before: Unusable?) -> Duration? {
    let times = before?.late?.times ?? 0
    return failure.isLate && times < Self.latePauses.count ? Self.latePauses[times] : nil
  }

}
