import Catalogue
import Limits
import PhotoModel

/// Files of change requests that are not whole yet.
extension LibraryState {
  /// What is to be kept of the additions as they are now.
  private var keptAdditions: StoreChange {
    .putSetting(name: SettingName.additions + record.name.description, value: additions.text)
  }

  /// Notes files that are about to be given to the storage, in a folder of a name that nobody can
  /// guess; the answer comes when that is durable.
  ///
  /// Looks at the storage make no assets of them until
  /// ``perform(_:grant:narrowing:dryRun:created:refusal:completion:)`` did, or ``forget(_:)`` says
  /// that they are not there.
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
            "The library has yet to clear up after requests that were cut off; send the request again later."))
      )
    }
    let word = String(environment.randomWords().high, radix: 16)
    let folder = String(repeating: "0", count: 16 - word.count) + word
    let noted = files.map { additions.note(app, folder: folder, size: $0.size, digest: $0.digest) }
    store.keep([keptAdditions]) { [self] failure in
      guard let failure else { return completion(.success(noted)) }
      drop(noted.map(\.number))
      completion(.failure(.failed(failure)))
    }
  }

  /// The storage has the file, and will know it by that wherever it comes to lie; the answer comes
  /// when that is durable.
  package func identify(
    _ number: Addition.Number, by identity: String, completion: @escaping (Result<Void, BrokerError>) -> Void
  ) {
    guard let index = additions.all.firstIndex(where: { $0.number == number }) else { return completion(.success(())) }
    additions.all[index].identity = identity
    releaseOthers()
    store.keep([keptAdditions]) { failure in completion(failure.map { .failure(.failed($0)) } ?? .success(())) }
  }

  /// Which assets there are by now; later ones are none of these.
  package var assetMark: AssetMark { AssetMark(next: nextNumber) }

  /// The storage put a file there; the answer comes when that is durable.
  /// - Parameter identity: What the storage knows it by; a file that is known to be the request's
  ///   by that needs no place.
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

  /// Their request is over and they are no assets: whoever clears up takes them out of the storage.
  package func abandon(_ numbers: [Addition.Number]) { additions.running.subtract(numbers) }

  /// The same of all of them: whoever carried their requests out is gone.
  package func abandonAdditions() { additions.running = [] }

  /// They are not in the storage any more.
  package func forget(_ numbers: [Addition.Number]) {
    guard !numbers.isEmpty else { return }
    drop(numbers)
    // Lost with a crash they are found not to be there by the next look.
    store.keep([keptAdditions]) { _ in }
  }

  /// They stay in the storage, as files of the owner's: what is there of them is looked at again.
  package func release(_ numbers: [Addition.Number]) {
    guard !numbers.isEmpty else { return }
    drop(numbers)
    store.keep([keptAdditions]) { _ in }
    filesReleased()
  }

  /// Those whose request is over, with the files that were found and may be one.
  package var abandonedAdditions: [(addition: Addition, files: [ResourceRecord])] {
    additions.all.filter { !additions.running.contains($0.number) }.map { addition in
      (addition, additions.found.values.flatMap(\.resources).filter(addition.mayBe).sorted { $0.locator < $1.locator })
    }
  }

  /// Whether one of the files that a look found may belong to a request that is not whole. They are
  /// then left alone, and noted.
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

  /// What a look made of a file that it held back there.
  package func heldBack(at locator: String) -> AssetRecord? { additions.found[ExactText(locator)] }

  /// A file of a request that was cut off lies in the storage's trash. Nobody's photo went with it,
  /// but its bytes may be wanted: its owner finds it among what was deleted, and has a photo of it
  /// by restoring it. It is no app's.
  package func keepTrashed(_ found: AssetRecord, completion: @escaping (Result<Void, BrokerError>) -> Void) {
    enqueue { [self] () throws(BrokerError) -> Plan in
      var (record, plan) = (found, Plan())
      let words = environment.randomWords()
      record.row.number = try takeNumber()
      record.row.identifier = AssetIdentifier(high: words.high, low: words.low)
      record.row.flags.insert(.trashed)
      plan.changes.append(.putAsset(self.record.name, record))
      plan.apply = { [self] in catalogue.put(record.row) }
      return plan
    } completion: {
      completion($0)
    }
  }

  /// They become assets in the commit that keeps what this answers; nil: there are none. Call
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
    filesReleased()
  }

  /// Has what was held back and cannot be an addition be looked at again.
  private func releaseOthers() {
    let (left, before) = (additions.all, additions.found.count)
    additions.found = additions.found.filter { one in
      one.value.resources.contains { file in left.contains { $0.mayBe(file) } }
    }
    if additions.found.count < before { filesReleased() }
  }
}

/// A moment in a library's life, by the assets that it had.
package struct AssetMark: Sendable {
  let next: UInt32

  /// Whether a file that the storage says it was given since was an asset's before that: the
  /// owner's, or another request's. Known by what stays with a file, else by its place and state:
  /// another file may well have come into the place of one that is gone.
  /// - Parameter known: assets with a file of this identity or in this place.
  package func hasFile(of identity: String?, at place: Addition.Place? = nil, in known: [AssetRecord]) -> Bool {
    known.lazy.filter { $0.row.number.rawValue < next }.flatMap(\.resources).contains { file in
      if let identity, let other = file.identityHint { return ExactText(identity) == ExactText(other) }
      guard let place else { return false }
      return ExactText(place.locator) == ExactText(file.locator)
        && ExactText(place.contentVersion) == ExactText(file.contentVersion)
    }
  }
}
