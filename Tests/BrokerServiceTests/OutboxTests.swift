import Catalogue
import Glibc
import Macaroons
import PhotoModel
import Testing
import UnixSocket

@testable import Broker
@testable import BrokerService

/// Revocations and queued replies.
struct OutboxTests {
  private let broker: Broker
  private let library: LibraryState
  private let refusal: [UInt8] = [9, 9, 9]

  init() throws {
    let store = SilentStore()
    let environment = SystemEnvironment()
    broker = try Broker(contents: StoreContents(), store: store, environment: environment)
    let record = LibraryRecord(
      name: LibraryName("photos")!, owner: 1_000, backend: "directory", options: [:], offeredTo: [],
      zoneOffsetMinutes: 0,
      rootKey: [UInt8](repeating: 1, count: 32))
    library = LibraryState(
      contents: LibraryContents(record: record), store: store, environment: environment, broker: broker)
  }

  /// The permit of a reply to an app of this number.
  private func permit(_ app: UInt64) -> Permit {
    let accessor = Accessor(high: 0, low: app)
    let key = GrantKey(library: library.record.name, app: AppIdentifier(high: 0, low: app), level: .readWrite)
    let record = GrantRecord(
      key: key, status: .authorized, isPaused: false, expires: nil, albumPolicy: "own", role: .owner,
      decided: Timestamp(microseconds: 0), accessor: accessor, epoch: 1)
    let attachment = Attachment(
      accessor: accessor, grant: GrantState(record: record, selection: library.catalogue.emptySelection()),
      library: library,
      verbs: .all, attenuation: nil, end: nil, isWhole: true)
    let session = broker.open(
      VerifiedIdentity(uid: 1_000, processID: 1, systemIdentity: nil, executable: nil, isInterpreter: false))
    return Permit(session: session, attachment: attachment, verbs: .all)
  }

  private func isOf(_ app: UInt64) -> (Permit) -> Bool { { $0.app == AppIdentifier(high: 0, low: app) } }

  @Test func `R134 every queued reply of the grant is replaced, and others keep their places`() {
    var outbox = Outbox()
    outbox.append(.init(bytes: [1, 1], permit: permit(1)))
    outbox.append(.init(bytes: [2], permit: permit(2)))
    outbox.append(.init(bytes: [3, 3, 3, 3]))
    outbox.append(.init(bytes: [4], permit: permit(1)))
    #expect(outbox.queuedBytes == 8)
    let count = outbox.withdraw(where: isOf(1), refusal: refusal)
    #expect(count == 2)
    #expect(outbox.parcels.map(\.bytes) == [refusal, [2], [3, 3, 3, 3], refusal])
    #expect(outbox.queuedBytes == 11)
    #expect(outbox.parcels.map { $0.permit == nil } == [true, false, true, true])
    let again = outbox.withdraw(where: isOf(1), refusal: refusal)
    #expect(again == 0)
  }

  @Test func `R134 a descriptor does not leave with the refusal that replaces its reply`() {
    var descriptors = OwnedDescriptors()
    descriptors.append(FileDescriptor(owning: dup(0)))
    var outbox = Outbox()
    outbox.append(.init(bytes: [1], descriptors: SharedDescriptors(descriptors), permit: permit(1)))
    let count = outbox.withdraw(where: isOf(1), refusal: refusal)
    #expect(count == 1)
    #expect(outbox.parcels[0].descriptors == nil)
  }

  @Test func `R134 a partly sent reply cannot be withdrawn, so the connection closes`() {
    var outbox = Outbox()
    outbox.append(.init(bytes: [1, 1], permit: permit(1)))
    outbox.took(1)
    let theirs = outbox.withdraw(where: isOf(2), refusal: refusal)
    #expect(theirs == 0, "another grant's end does not touch it")
    let count = outbox.withdraw(where: isOf(1), refusal: refusal)
    #expect(count == nil)
  }

  @Test func `sent bytes are counted off, and descriptors go with the first byte`() {
    var descriptors = OwnedDescriptors()
    descriptors.append(FileDescriptor(owning: dup(0)))
    var outbox = Outbox()
    outbox.append(.init(bytes: [1, 2, 3], descriptors: SharedDescriptors(descriptors)))
    outbox.append(.init(bytes: [4]))
    outbox.took(2)
    #expect(outbox.queuedBytes == 2 && outbox.parcels.count == 2 && outbox.parcels[0].descriptors == nil)
    outbox.took(1)
    #expect(outbox.queuedBytes == 1 && outbox.parcels.map(\.bytes) == [[4]])
    outbox.took(1)
    #expect(outbox.isEmpty && outbox.queuedBytes == 0)
  }
}
