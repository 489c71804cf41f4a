import Broker
import Testing

@testable import BrokerService

@Suite struct UploadQuotaTests {
  private func owner(_ app: UInt64, user: UInt32, _ library: String = "here") throws -> UploadQuota.Owner {
    UploadQuota.Owner(app: AppIdentifier(high: 1, low: app), user: user, library: try #require(LibraryName(library)))
  }

  private func isRefused(_ coming: UploadQuota, _ count: Int, _ owner: UploadQuota.Owner) -> Bool {
    do throws(BrokerError) { _ = try coming.take(count, of: owner) } catch { return error == .comingTooMuch }
    return false
  }

  @Test func `the bytes of an app's requests are bounded in sum and counted while held`() throws {
    let coming = UploadQuota(perApp: 10, perUser: 100)
    var kept = [try coming.take(6, of: owner(1, user: 1)), try coming.take(4, of: owner(1, user: 1, "there"))]
    #expect(try isRefused(coming, 1, owner(1, user: 1)))
    _ = try coming.take(10, of: owner(2, user: 1))
    _ = try coming.take(10, of: owner(1, user: 2))
    kept.removeLast()
    #expect(try isRefused(coming, 5, owner(1, user: 1)))
    _ = try coming.take(4, of: owner(1, user: 1))
    kept = []
    _ = try coming.take(10, of: owner(1, user: 1))
  }

  @Test
  func `R129 a user's apps share a bound per library that leaves other users and libraries alone`()
    throws
  {
    let coming = UploadQuota(perApp: 10, perUser: 15)
    var kept = [try coming.take(10, of: owner(1, user: 1))]
    #expect(try isRefused(coming, 6, owner(2, user: 1)))
    kept.append(try coming.take(5, of: owner(2, user: 1)))
    #expect(try isRefused(coming, 1, owner(3, user: 1)))
    for other in try [owner(1, user: 2), owner(3, user: 1, "there")] { _ = try coming.take(10, of: other) }
    withExtendedLifetime(kept) {}
  }
}
