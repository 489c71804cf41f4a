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

  /// Most bytes of an XMP file. These copies wait for no memory; a larger file is ignored.
  static let sidecarBytes: Int64 = 32 << 20
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

  let storage: any LibraryStorage
  let files: LibraryFiles
  let media: any LibraryMedia
  /// The folders to scan; nil: all.
  let folders: [StorageFolder]?
  let volumes: [StorageVolume]
  let builder: AssetBuilder
  let unusable: [ExactText: Unusable]
  private let skippedBefore: SkippedFiles
  /// Facts of files that were read early, to pair raw files and photos.
  private var looked: [[ExactText]: Found] = [:]
  /// Sidecars that an earlier scan left out, and this one too.
  var leftOutSidecars: [ScannedItem.File] = []
  /// Sidecars that could be read in this scan.
  private var readSidecars: Set<ExactText> = []
  /// Missing assets that now count as deleted.
  let believed: Set<AssetNumber>
  /// Whether files that keep moving may be left to the next scan.
  let mayPostpone: Bool
  /// Cancels the read of a long file.
  private let looking: Transfer
  var onProgress: @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  /// Hands a batch to the library, with the assets that had its files before. The reply says
  /// whether it was committed.
  var onBatch: @Sendable ([AssetMutation], PriorFiles, _ reply: @escaping @Sendable (Bool) -> Void) -> Void = {
    _, _, reply in reply(false)
  }

  /// Asks how many of the new photos the limits still allow.
  var onRoom: @Sendable (Int, _ reply: @escaping @Sendable (Int) -> Void) -> Void = { _, reply in reply(0) }

  struct Known: Sendable {
    var assets: [AssetRecord]
    /// Assets whose files were added since the scan began.
    var placed: Set<AssetNumber> = []
    /// Whether apps were adding files at that time.
    var isBeingAddedTo = false

    /// The assets that a scan can judge. An asset added behind the scan is neither missing nor
    /// moved.
    func seen(by scan: StorageScan) -> [AssetRecord] {
      guard !placed.isEmpty else { return assets }
      let locators = Set(scan.items.lazy.map { ExactText($0.primary.locator) })
      return assets.filter { asset in
        !placed.contains(asset.row.number)
          || asset.resources.contains { $0.role == .original && locators.contains(ExactText($0.locator)) }
      }
    }
  }

  /// Reads known assets, with nil all of them. The reply is nil if the store failed.
  var onKnown: @Sendable (AssetScope?, _ reply: @escaping @Sendable (Known?) -> Void) -> Void = { _, reply in reply(nil)
  }

  init(
    storage: any LibraryStorage, files: LibraryFiles, media: any LibraryMedia, folders: [StorageFolder]?,
    volumes: [StorageVolume], unusable: [ExactText: Unusable], skipped: SkippedFiles = SkippedFiles(),
    believed: Set<AssetNumber> = [], mayPostpone: Bool,
    builder: AssetBuilder,
    looking: Transfer
  ) {
    self.mayPostpone = mayPostpone
    self.looking = looking
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
    var compared: Compared
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
    let prior = compared.priorFiles
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
    var replaced: [ScannedItem] = []
    for match in result.changed {
      var item = match.item
      let found = match.needsFacts ? look(into: &item, &outcome) : nil
      if !match.needsFacts || found != nil {
        let record = builder.updated(
          match.known, item, facts: found?.facts, proof: found?.proof,
          companions: found == nil ? [] : companionProofs(item, known: match.known))
        if found != nil, !record.isSamePhoto(as: match.known) {
          batch.append(.lose(match.known.row.number))
          replaced.append(item)
        } else {
          batch.append(found.map { .reread(record, caption: $0.facts.caption) } ?? .update(record))
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
        if let found = look(into: &item, &outcome) {
          let record = builder.record(item, facts: found.facts, proof: found.proof, companions: companionProofs(item))
          room -= 1
          if let kept = pairs.take(record) { batch.append(.insert(kept)) }
        }
      }
      looked = [:]
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
    }
    for mutation in pairs.finish(known: others) {
      batch.append(mutation)
      guard flush(force: false) else { return failed(&outcome) }
    }
    guard flush(force: true) else { return failed(&outcome) }
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
  private func noteUnreadable(_ compared: Compared, _ outcome: inout Outcome) {
    let refused = try? files.source.refused(compared.filesNotLookedInto).sorted { $0.locator < $1.locator }
    for file in refused ?? [] { skip(file.locator, Reason(skipping: file.error), &outcome) }
  }

  /// Reports unchanged damaged sidecars of photos that were not read again.
  private func noteDamagedSidecars(_ compared: Compared, _ outcome: inout Outcome) {
    guard !unusable.isEmpty else { return }
    for sidecar in compared.seen.scan.items.compactMap(sidecarFile) + leftOutSidecars {
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

  func known(_ scope: AssetScope?) -> Known? {
    let answer = Monitor<Known??>(nil)
    onKnown(scope) { found in answer.change { $0 = .some(found) } }
    return answer.wait(until: .never) { $0 } ?? nil
  }

  private func room(for count: Int) -> Int {
    let answer = Monitor<Int?>(nil)
    onRoom(count) { room in answer.change { $0 = room } }
    return answer.wait(until: .never) { $0 } ?? 0
  }

  /// Whether a file is unchanged since it was found unusable, and not due for another attempt.
  func isLeftOut(_ file: ScannedItem.File) -> Bool {
    guard let known = unusable[ExactText(file.locator)], known.contentVersion == file.contentVersion else {
      return false
    }
    return !(known.late?.next.hasPassed ?? false)
  }

  private func hand(_ batch: [AssetMutation], _ prior: PriorFiles) -> Bool {
    let answer = Answer()
    onBatch(batch, prior) { answer.give($0) }
    return answer.wait()
  }

  struct Found {
    var facts: ItemFacts
    var proof: ContentProof
  }

  /// Nil: the item is skipped, for now or until its file changes.
  private func look(into item: inout ScannedItem, _ outcome: inout Outcome) -> Found? {
    let file = item.primary
    let before = unusable[ExactText(file.locator)].flatMap { $0.contentVersion == file.contentVersion ? $0 : nil }
    if let known = before, !(known.late?.next.hasPassed ?? false) {
      outcome.unusable[ExactText(file.locator)] = known
      skip(file.locator, known.reason, &outcome)
      return nil
    }
    do throws(LookFailure) {
      var found = try found(in: item, before)
      if !applySidecars(of: &item, to: &found, &outcome) {
        found = try self.found(in: item, before)
        _ = applySidecars(of: &item, to: &found, &outcome)
      }
      if found.facts.version > 0, let sidecar = sidecarFile(of: item) {
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
        let reason = Reason(skipping: error, limit: largestServed(file))
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
  private func found(in item: ScannedItem, _ before: Unusable?) throws(LookFailure) -> Found {
    do throws(LookFailure) { return try found(in: item) } catch {
      guard case .media(let failure) = error, failure.isOfDecoders, pause(after: failure, before) == nil else {
        throw error
      }
      return try found(in: item, bySignature: true)
    }
  }

  /// The backoff before a file is read again; nil if it is not.
  private func pause(after failure: MediaFailure, _ before: Unusable?) -> Duration? {
    let times = before?.late?.times ?? 0
    return failure.isLate && times < Self.latePauses.count ? Self.latePauses[times] : nil
  }

  /// The facts of a file without its sidecar; nil if it cannot be read. They are kept for the rest
  /// of the scan.
  func ownFacts(_ file: ScannedItem.File) -> ItemFacts? {
    guard let found = try? found(in: ScannedItem(primary: file)) else { return nil }
    looked[Self.state(of: file)] = found
    return found.facts
  }

  private static func state(of file: ScannedItem.File) -> [ExactText] {
    [ExactText(file.locator), ExactText(file.contentVersion)]
  }

  /// - Parameter bySignature: Whether the type alone is read, since decoders failed.
  private func found(in item: ScannedItem, bySignature: Bool = false) throws(LookFailure) -> Found {
    if sidecarFile(of: item) == nil, let known = looked.removeValue(forKey: Self.state(of: item.primary)) {
      return known
    }
    if let large = try foundInPlace(item, bySignature: bySignature) { return large }
    if let far = FarLook(item.primary, files.source),
      let found = try far.look(media, sidecar: sidecar(of: item), bySignature: bySignature)
    {
      return Found(
        facts: found.facts, proof: ContentProof(digest: Self.toldDigest(item.primary), endsDigest: found.endsDigest))
    }
    let original: SealedCopy
    do throws(DeliveryError) {
      original = try copy(item.primary, memory: files.memory(for: item.primary.size, looking))
    } catch {
      throw .delivery(error)
    }
    do throws(MediaFailure) {
      let facts = try readFacts(original.descriptor, item, bySignature: bySignature)
      return Found(facts: facts, proof: ContentProof(digest: original.digest))
    } catch { throw .media(error) }
  }

  private func readFacts(_ descriptor: borrowing FileDescriptor, _ item: ScannedItem, bySignature: Bool)
    throws(MediaFailure) -> ItemFacts
  {
    guard !bySignature else { return try media.signature(descriptor, name: item.primary.filename) }
    return try media.facts(descriptor, sidecar: sidecar(of: item), name: item.primary.filename)
  }

  /// A remote file that needs more than some ranges is read in full.
  private func largestServed(_ file: ScannedItem.File) -> Int64 {
    file.size > files.largestServed ? files.largestServed : Int64(ServiceLimits.openedBytes)
  }

  /// The facts of a local file that is too large to be copied; nil for others.
  private func foundInPlace(_ item: ScannedItem, bySignature: Bool) throws(LookFailure) -> Found? {
    let file = item.primary
    guard file.size <= files.largestServed else { throw .delivery(.tooLarge) }
    guard files.isReadInParts(file.size) else { return nil }
    var failure: MediaFailure?
    do throws(DeliveryError) {
      guard
        let opened = try files.source.openInPlace(file.locator, contentVersion: file.contentVersion, size: file.size)
      else {
        return nil
      }
      let ends = try FarLook.endsDigest(of: opened)
      let facts = try opened.lend { descriptor throws(DeliveryError) in
        do throws(MediaFailure) {
          return try readFacts(descriptor, item, bySignature: bySignature)
        } catch {
          failure = error
          throw .timedOut
        }
      }
      return Found(facts: facts, proof: ContentProof(endsDigest: ends))
    } catch { throw failure.map { .media($0) } ?? .delivery(error) }
  }

  private func sidecar(of item: ScannedItem) -> SealedCopy? {
    sidecarFile(of: item).flatMap { $0.size <= Self.sidecarBytes ? try? copy($0, memory: nil) : nil }
  }

  /// A camera's small picture (.THM) is also a sidecar, but only XMP is read.
  func sidecarFile(of item: ScannedItem) -> ScannedItem.File? {
    item.others.first { $0.role == .sidecar && $0.filename.lowercased().hasSuffix(".xmp") }
  }

  /// - Parameter memory: The copy's share of the memory for copies.
  func copy(_ file: ScannedItem.File, memory: SharedAllowance.Share?) throws(DeliveryError) -> SealedCopy {
    guard file.size <= ServiceLimits.openedBytes else { throw .tooLarge }
    return try files.source.copy(
      file.locator, contentVersion: file.contentVersion, size: file.size, limitBytes: ServiceLimits.openedBytes,
      hasher: LibraryFiles.digest, memory: memory
    ) { [looking] in looking.note($0) }
  }

  func digest(of file: ScannedItem.File, _ kind: ContentProof.Kind) -> [UInt8]? {
    switch kind {
    case .digest: try? files.digest(file.locator, contentVersion: file.contentVersion, size: file.size, looking)
    case .endsDigest:
      files.source.isFar ? FarLook(file, files.source).flatMap { try? $0.endsDigest() } : nearEndsDigest(of: file)
    }
  }

  /// Digests of an item's other files. A companion that returns without its photo, from wherever,
  /// restores that photo's asset with it (``MissingAsset``). Nil for sidecars, for known digests, for
  /// hashes from the storage, and for unreadable files.
  private func companionProofs(_ item: ScannedItem, known: AssetRecord? = nil) -> [ContentProof?] {
    item.others.map { file in
      guard file.role != .sidecar, !ItemFile.isHash(file.contentVersion),
        known.flatMap({ AssetBuilder.knownProof(of: file, in: $0) }) == nil
      else { return nil }
      if let known = looked.removeValue(forKey: Self.state(of: file)) { return known.proof }
      // Remote files without range reads are not fetched for this.
      let isByEnds = files.source.isFar ? FarLook(file, files.source) != nil : files.isReadInParts(file.size)
      guard isByEnds || !files.source.isFar || file.size <= Int64(FarLook.smallBytes) else { return nil }
      let found = digest(of: file, isByEnds ? .endsDigest : .digest)
      return isByEnds ? ContentProof(endsDigest: found) : ContentProof(digest: found)
    }
  }

  private func nearEndsDigest(of file: ScannedItem.File) -> [UInt8]? {
    guard let opened = try? files.source.openInPlace(file.locator, contentVersion: file.contentVersion, size: file.size)
    else { return nil }
    return try? FarLook.endsDigest(of: opened)
  }

  /// The SHA-256 that the storage itself gives for a file.
  private static func toldDigest(_ file: ScannedItem.File) -> [UInt8]? {
    let prefix = ItemFile.contentVersion(hash: "sha256:")
    guard file.contentVersion.hasPrefix(prefix) else { return nil }
    let digest = Hex.bytes(file.contentVersion.dropFirst(prefix.count).lowercased())
    return digest?.count == 32 ? digest : nil
  }
}

enum LookFailure: Error {
  case delivery(DeliveryError)
  case media(MediaFailure)
}
