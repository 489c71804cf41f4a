import Catalogue
import Limits
import PhotoModel

extension LibraryState {
  private var keptAdditions: StoreChange {
    .putSetting(name: SettingName.additions + record.name.description, value: additions.text)
  }

  /// Records files that are about to be written to the storage, in a folder with an unguessable
  /// name. Completes after the commit.
  ///
  /// Scans make no assets of them until
  /// ``perform(_:grant:narrowing:dryRun:created:refusal:completion:)`` commits, or until
  /// ``forget(_:)`` reports that they are gone.
  package func begin(
    _ files: [(size: Int64, digest: [UInt8])], by app: AppIdentifier,
    completion: @escaping (Result<[Addition], BrokerError>) -> Void
  ) {
    let left = additions.all.count { $0.app == app && !additions.running.contains($0.number) }
    guard left <= BrokerLimits.additionsPerApp else {
      return completion(
        .failure(
          .photos(
            .operationInterrupted,
            "The library is still cleaning up after interrupted requests; send the request again later."))
      )
    }
    let folder = Hex.text(environment.randomWords().high)
    let noted = files.map { additions.note(app, folder: folder, size: $0.size, digest: $0.digest) }
    store.keep([keptAdditions]) { [self] failure in
      guard let failure else { return completion(.success(noted)) }
      drop(noted.map(\.number))
      completion(.failure(.failed(failure)))
    }
  }

  /// Records the storage's identity for a file, which stays the same when it moves. Completes after
  /// the commit.
  package func identify(
    _ number: Addition.Number, by identity: String, completion: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    guard let index = additions.all.firstIndex(where: { $0.number == number }) else { return completion(.success(())) }
    additions.all[index].identity = identity
    releaseOthers()
    store.keep([keptAdditions]) { failure in completion(failure.map { .failure(.failed($0)) } ?? .success(())) }
  }

  /// Records a file's place in the storage. Completes after the commit.
  /// - Parameter identity: the storage's identity for it. If that is recorded already, the place
  ///   need not be stored.
  package func place(
    _ number: Addition.Number, at place: Addition.Place, identity: String? = nil,
    completion: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    guard let index = additions.all.firstIndex(where: { $0.number == number }) else { return completion(.success(())) }
    additions.all[index].place = place
    releaseOthers()
    if let identity, let known = additions.all[index].identity, ExactText(identity) == ExactText(known) {
      return completion(.success(()))
    }
    store.keep([keptAdditions]) { failure in completion(failure.map { .failure(.failed($0)) } ?? .success(())) }
  }

  /// Marks additions as left over from a request that ended without assets; a cleanup removes their
  /// files.
  package func abandon(_ numbers: [Addition.Number]) { additions.running.subtract(numbers) }

  /// Marks all additions as left over, because the process that carried out their requests is gone.
  package func abandonAdditions() { additions.running = [] }

  /// Removes additions whose files are not in the storage any more.
  package func forget(_ numbers: [Addition.Number]) {
    guard !numbers.isEmpty else { return }
    drop(numbers)
    // After a crash the next scan finds them missing again.
    store.keep([keptAdditions]) { _ in }
  }

  /// Gives up additions whose files stay in the storage as the owner's. Held-back files are scanned
  /// again.
  package func release(_ numbers: [Addition.Number]) {
    guard !numbers.isEmpty else { return }
    drop(numbers)
    store.keep([keptAdditions]) { _ in }
    broker.filesReleased(in: record.name)
  }

  /// The additions of failed requests, each with the scanned files that may belong to it.
  package var abandonedAdditions: [(addition: Addition, files: [ResourceRecord])] {
    additions.all.filter { !additions.running.contains($0.number) }.map { addition in
      (addition, additions.found.values.flatMap(\.resources).filter(addition.mayBe).sorted { $0.locator < $1.locator })
    }
  }

  /// Holds a scanned file back if it may belong to an unfinished request.
  func holdBack(_ found: AssetRecord) -> Bool {
    guard !additions.all.isEmpty else { return false }
    let files = found.resources.filter { file in additions.all.contains { $0.mayBe(file) } }
    for file in files {
      var one = found
      one.resources = [file]
      additions.found[ExactText(file.locator)] = one
    }
    return !files.isEmpty
  }

  /// The scan's record of a held-back file.
  package func heldBack(at locator: String) -> AssetRecord? { additions.found[ExactText(locator)] }

  /// Adds an asset in the trash for a file of an interrupted request that is in the storage's
  /// trash. The owner can find it among deleted photos and restore it. It belongs to no app.
  package func keepTrashed(_ found: AssetRecord, completion: @escaping (Result<Void, BrokerError>) -> Void) {
    content.enqueue { [self] () throws(BrokerError) -> ContentPlan in
      var (record, plan) = (found, ContentPlan())
      let words = environment.randomWords()
      record.row.number = try assets.takeNumber()
      record.row.identifier = AssetIdentifier(high: words.high, low: words.low)
      record.row.flags.insert(.trashed)
      plan.changes.append(.putAsset(self.record.name, record))
      plan.apply = { [self] in assets.catalogue.put(record.row) }
      return plan
    } completion: {
      completion($0)
    }
  }

  /// Turns additions into assets with the commit of the returned change; nil: there are none. Call
  /// ``finishSettling(_:isKept:)`` after it.
  func settle(_ numbers: [Addition.Number]) -> StoreChange? {
    guard !numbers.isEmpty else { return nil }
    additions.settling += additions.all.filter { numbers.contains($0.number) }
    additions.all.removeAll { numbers.contains($0.number) }
    return keptAdditions
  }

  func finishSettling(_ numbers: [Addition.Number], isKept: Bool) {
    if !isKept { additions.all += additions.settling.filter { numbers.contains($0.number) } }
    if isKept { drop(numbers) }
    additions.settling.removeAll { numbers.contains($0.number) }
  }

  private func drop(_ numbers: [Addition.Number]) {
    for addition in additions.all + additions.settling where numbers.contains(addition.number) {
      if let place = addition.place { additions.found[ExactText(place.locator)] = nil }
    }
    additions.all.removeAll { numbers.contains($0.number) }
    additions.running.subtract(numbers)
    releaseOthers()
    guard additions.hasPostponed else { return }
    additions.hasPostponed = false
    broker.filesReleased(in: record.name)
  }

  /// Requests a scan of the held-back files that match no addition any more.
  private func releaseOthers() {
    let (left, before) = (additions.all, additions.found.count)
    additions.found = additions.found.filter { one in
      one.value.resources.contains { file in left.contains { $0.mayBe(file) } }
    }
    if additions.found.count < before { broker.filesReleased(in: record.name) }
  }
}
