import Catalogue
import Limits
import PhotoModel

/// The files of one library's unfinished change requests.
package final class Additions {
  /// All of them, in the order of their numbers.
  package private(set) var all: [Addition] = []
  /// Numbers of the additions whose request is running in this process.
  private var running: Set<Addition.Number> = []
  /// Files found by a scan that may be additions, each as the asset that it would be, by place.
  private var found: [ExactText: AssetRecord] = [:]
  /// Whether a scan skipped a known asset because one of its files may be an addition.
  private var hasPostponed = false
  private var settling: [Addition] = []
  private var next: Addition.Number
  private let library: LibraryName
  private let store: any Store
  private let environment: any Environment
  private unowned let broker: any LibraryBroker

  /// - Parameter text: the stored form.
  init(
    _ text: String, of library: LibraryName, store: any Store, environment: any Environment, broker: any LibraryBroker
  ) {
    all = text.split(separator: "\n").compactMap { Addition($0) }
    next = (all.map(\.number).max() ?? 0) &+ 1
    self.library = library
    self.store = store
    self.environment = environment
    self.broker = broker
  }

  private var text: String { all.map(\.text).joined(separator: "\n") }

  private func note(_ app: AppIdentifier, folder: String, size: Int64, digest: [UInt8]) -> Addition {
    defer { next &+= 1 }
    let addition = Addition(number: next, app: app, folder: folder, size: size, digest: digest)
    all.append(addition)
    running.insert(next)
    return addition
  }

  private var keptAdditions: StoreChange {
    .putSetting(name: SettingName.additions + library.description, value: text)
  }

  /// Records files that are about to be written to the storage, in a folder with an unguessable
  /// name. Completes after the commit.
  ///
  /// Scans make no assets of them until the request commits, or until ``forget(_:)`` reports that they
  /// are gone.
  package func begin(
    _ files: [(size: Int64, digest: [UInt8])], by app: AppIdentifier, completion: @escaping Completion<[Addition]>
  ) {
    let left = all.count { $0.app == app && !running.contains($0.number) }
    guard left <= BrokerLimits.additionsPerApp else {
      return completion(
        .failure(
          .photos(
            .operationInterrupted,
            "The library is still cleaning up after interrupted requests; send the request again later."))
      )
    }
    let folder = Hex.text(environment.randomWords().high)
    let noted = files.map { note(app, folder: folder, size: $0.size, digest: $0.digest) }
    store.commit([keptAdditions]) { [self] failure in
      guard let failure else { return completion(.success(noted)) }
      drop(noted.map(\.number))
      completion(.failure(.failed(failure)))
    }
  }

  /// Records the storage's identity for a file, which stays the same when it moves. Completes after
  /// the commit.
  package func identify(_ number: Addition.Number, by identity: String, completion: @escaping Completion<Void>) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return completion(.success(())) }
    all[index].identity = identity
    releaseOthers()
    store.commit([keptAdditions]) { failure in completion(failure.map { .failure(.failed($0)) } ?? .success(())) }
  }

  /// Records a file's place in the storage. Completes after the commit.
  /// - Parameter identity: the storage's identity for it. If that is recorded already, the place
  ///   need not be stored.
  package func place(
    _ number: Addition.Number, at place: Addition.Place, identity: String? = nil, completion: @escaping Completion<Void>
  ) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return completion(.success(())) }
    all[index].place = place
    releaseOthers()
    if let identity, let known = all[index].identity, ExactText(identity) == ExactText(known) {
      return completion(.success(()))
    }
    store.commit([keptAdditions]) { failure in completion(failure.map { .failure(.failed($0)) } ?? .success(())) }
  }

  /// Marks additions as left over from a request that ended without assets; a cleanup removes their
  /// files.
  package func abandon(_ numbers: [Addition.Number]) { running.subtract(numbers) }

  /// Marks all additions as left over, because the process that carried out their requests is gone.
  package func abandonAll() { running = [] }

  /// Removes additions whose files are not in the storage any more.
  package func forget(_ numbers: [Addition.Number]) {
    guard !numbers.isEmpty else { return }
    drop(numbers)
    // After a crash the next scan finds them missing again.
    store.commit([keptAdditions]) { _ in }
  }

  /// Gives up additions whose files stay in the storage as the owner's. Held-back files are scanned
  /// again.
  package func release(_ numbers: [Addition.Number]) {
    guard !numbers.isEmpty else { return }
    drop(numbers)
    store.commit([keptAdditions]) { _ in }
    broker.filesReleased(in: library)
  }

  /// Left-over additions, with the found files that may be theirs.
  package var abandoned: [(addition: Addition, files: [ResourceRecord])] {
    all.filter { !running.contains($0.number) }.map { addition in
      (addition, found.values.flatMap(\.resources).filter(addition.mayBe).sorted { $0.locator < $1.locator })
    }
  }

  /// Holds a scanned file back if it may belong to an unfinished request.
  func holdBack(_ record: AssetRecord) -> Bool {
    guard !all.isEmpty else { return false }
    let files = record.resources.filter { file in all.contains { $0.mayBe(file) } }
    for file in files {
      var one = record
      one.resources = [file]
      found[ExactText(file.locator)] = one
    }
    return !files.isEmpty
  }

  /// Whether a scan postpones a known asset, because one of its files may belong to an unfinished
  /// request.
  func postpones(_ found: AssetRecord) -> Bool {
    guard found.resources.contains(where: { file in all.contains { $0.mayBe(file) } }) else { return false }
    hasPostponed = true
    return true
  }

  /// The scan's record of a held-back file.
  package func heldBack(at locator: String) -> AssetRecord? { found[ExactText(locator)] }

  /// Turns additions into assets with the commit of the returned change; nil: there are none. Call
  /// ``finishSettling(_:isKept:)`` after it.
  func settle(_ numbers: [Addition.Number]) -> StoreChange? {
    guard !numbers.isEmpty else { return nil }
    settling += all.filter { numbers.contains($0.number) }
    all.removeAll { numbers.contains($0.number) }
    return keptAdditions
  }

  func finishSettling(_ numbers: [Addition.Number], isKept: Bool) {
    if !isKept { all += settling.filter { numbers.contains($0.number) } }
    if isKept { drop(numbers) }
    settling.removeAll { numbers.contains($0.number) }
  }

  private func drop(_ numbers: [Addition.Number]) {
    for addition in all + settling where numbers.contains(addition.number) {
      if let place = addition.place { found[ExactText(place.locator)] = nil }
    }
    all.removeAll { numbers.contains($0.number) }
    running.subtract(numbers)
    releaseOthers()
    guard hasPostponed else { return }
    hasPostponed = false
    broker.filesReleased(in: library)
  }

  /// Rescans held-back files that match no addition any more.
  private func releaseOthers() {
    let (left, before) = (all, found.count)
    found = found.filter { one in
      one.value.resources.contains { file in left.contains { $0.mayBe(file) } }
    }
    if found.count < before { broker.filesReleased(in: library) }
  }
}
