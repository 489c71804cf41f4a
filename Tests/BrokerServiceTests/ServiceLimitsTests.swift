import Limits
import Testing
import Varlink

@testable import BrokerService
@testable import PhotoBroker

struct ServiceLimitsTests {
  @Test func `limits that are told are those that are held to, and fit each other`() {
    let table = ServiceLimits.table
    #expect(table["pageLimit"] == Int64(ServiceLimits.pageLimit) && table["pieceBytes"] == Int64(ServiceLimits.pieceBytes))
    #expect(table.allSatisfy { $0.value > 0 || $0.key == "datesFrom" })
    #expect(ServiceLimits.defaultPageLimit <= ServiceLimits.pageLimit)
    #expect(ServiceLimits.connectionsPerProcess <= ServiceLimits.connectionsPerUser)
    #expect(ServiceLimits.connectionsPerUser < ServiceLimits.connections, "one user cannot take all")
    #expect(ServiceLimits.pieceBytes <= ServiceLimits.uploadBytes && Int64(ServiceLimits.uploadBytes) <= table["addedAssetBytes"] ?? 0)
  }

  @Test func `every limit of a client is told`() {
    let table = ServiceLimits.table
    for name in [
      "processesPerUser", "administrationConnections", "administrationConnectionsPerUser", "strangersAdministrationConnections",
      "descriptorsPerConnection", "connections", "connectionsPerUser", "heldBytesPerUser", "messageBytes", "attachments",
    ] { #expect(table[name] != nil, "\(name) is not told") }
    #expect(ServiceLimits.administrationConnectionsPerUser < ServiceLimits.strangersAdministrationConnections)
    #expect(ServiceLimits.strangersAdministrationConnections < ServiceLimits.administrationConnections)
    #expect(
      ServiceLimits.heldBytesPerUser > WireLimits.queuedBytes + WireLimits.receivedBytes + WireLimits.frameBytes,
      "one connection cannot use up what its user has")
  }

  @Test func `every limit that the client library has an accessor for is told under its name`() {
    let missing = LibraryLimits.Name.allCases.map(\.rawValue).filter { ServiceLimits.table[$0] == nil }
    #expect(missing.isEmpty)
  }

  @Test func `a piece in base64 fits a message`() {
    let text = (ServiceLimits.pieceBytes + 2) / 3 * 4
    #expect(text <= WireLimits.stringBytes && text + 1_024 <= WireLimits.frameBytes)
  }
}
