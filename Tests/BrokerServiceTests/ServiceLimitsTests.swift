import Limits
import Testing
import Varlink

@testable import BrokerService
@testable import PhotoBroker

struct ServiceLimitsTests {
  @Test func `reported limits are the enforced ones and consistent`() {
    let table = ServiceLimits.table
    #expect(
      table["pageLimit"] == Int64(ServiceLimits.pageLimit) && table["pieceBytes"] == Int64(ServiceLimits.pieceBytes))
    #expect(table.allSatisfy { $0.value > 0 || $0.key == "datesFrom" })
    #expect(ServiceLimits.defaultPageLimit <= ServiceLimits.pageLimit)
    #expect(ServiceLimits.connectionsPerProcess <= ServiceLimits.connectionsPerUser)
    #expect(ServiceLimits.connectionsPerUser < ServiceLimits.connections, "one user cannot take all")
    #expect(
      ServiceLimits.pieceBytes <= ServiceLimits.uploadBytes
        && Int64(ServiceLimits.uploadBytes) <= table["addedAssetBytes"] ?? 0)
  }

  @Test func `every limit of a client is reported`() {
    let table = ServiceLimits.table
    for name in [
      "processesPerUser", "administrationConnections", "administrationConnectionsPerUser",
      "strangersAdministrationConnections",
      "descriptorsPerConnection", "connections", "connectionsPerUser", "heldBytesPerUser", "messageBytes",
      "attachments",
    ] { #expect(table[name] != nil, "\(name) is not told") }
    #expect(ServiceLimits.administrationConnectionsPerUser < ServiceLimits.strangersAdministrationConnections)
    #expect(ServiceLimits.strangersAdministrationConnections < ServiceLimits.administrationConnections)
    #expect(
      ServiceLimits.heldBytesPerUser > WireLimits.queuedBytes + WireLimits.receivedBytes + WireLimits.frameBytes,
      "one connection cannot use up what its user has")
  }

  @Test func `every limit with an accessor in the client library is reported under its name`() {
    let missing = LibraryLimits.Name.allCases.map(\.rawValue).filter { ServiceLimits.table[$0] == nil }
    #expect(missing.isEmpty)
  }

  /// A new limit needs an accessor in the client library, or an entry here.
  @Test func `every limit without an accessor is one that no app's call can reach`() {
    let known = Set(LibraryLimits.Name.allCases.map(\.rawValue))
    let told = Set(ServiceLimits.table.keys)
    let ofNoCall: Set = [
      // Connections and their resources.
      "administrationConnections", "administrationConnectionsPerUser", "arrayLength", "attachments", "connectionBurst",
      "connections", "connectionsPerProcess", "connectionsPerSecond", "connectionsPerUser", "descriptorsInFlight",
      "descriptorsInFlightPerUser", "descriptorsPerConnection",
      "descriptorsPerUser", "firstCallSeconds", "handedBytesPerUser", "handedMemoryShare", "heldBytesPerUser",
      "heldMemoryShare",
      "interfaceBytes", "keptMemoryShare",
      "copyingBytesPerUser", "copyingMemoryShare",
      "filesPerLibrary", "libraryFileShare", "libraryMemoryBytes", "libraryMemoryShare", "photoMemoryBytes",
      "photoMemoryShare",
      "messageBytes", "messageDepth", "numberBytes",
      "pendingCalls", "processesPerUser", "queuedBytes", "queuedDescriptors", "receivedBytes", "sendBufferBytes",
      "settlingSeconds",
      "stallSeconds", "strangersAdministrationConnections", "strangersDescriptorsPerUser", "stringBytes",
      "structureFields",
      "waitingConnections", "waitingConnectionsPerUser",
      // Introductions, prompts and tokens.
      "acceptancesPerHour", "appNameBytes", "appsPerUser", "budgetsPerAccess", "budgetsPerToken", "caveatNameBytes",
      "caveats",
      "coolDownSeconds",
      "denialsPerApp",
      "denialsPerUser",
      "dismissalPauseSeconds", "dismissalsPerApp", "dismissalsPerUser",
      "introductionsPerUser", "macaroonBytes", "manifestBytes", "pickersPerLibrary", "pickersPerUser",
      "promptsPerLibrary",
      "photosPerDay", "picturePixels", "picturePixelsFrom", "promptsPerUser", "renamingsPerHour",
      "keepQuestionsPerHour", "tokenBytes",
      "usageDescriptionBytes",
      "usageDescriptionLanguages",
      "waitersPerPrompt",
      // Owners' calls.
      "coOwnersPerLibrary", "columnLimit", "decisionsPerFile", "declinedUsers", "globBytes", "globWildcards",
      "librariesPerOwner",
      "optionsPerLibrary", "pageCodeSeconds", "pageCodesPerUser", "ruleLifetimeSeconds", "rulesPerLibrary",
      "selectionDrafts", "liveExclusions",
      "selectorIdentifiers", "selectorsPerApplication", "selectorsPerRule", "usersPerLibrary",
      // The broker's own work with files and plugins.
      "additionsPerApp", "byteSeconds", "changeLogPeriodSeconds", "copiedBytes", "datesFrom", "datesTo",
      "emptyListPages",
      "factsSeconds", "firstByteSeconds", "latePluginThreads", "listedItemBytes", "listedItems", "partBytes",
      "pluginAnswerSeconds",
      "previewBytes", "previewSeconds", "resourceBytes", "thumbnailBytes", "thumbnailSeconds", "uploadBytesPerSecond",
    ]
    #expect(told.subtracting(known).subtracting(ofNoCall) == [], "limits without an accessor")
    #expect(ofNoCall.subtracting(told) == [] && ofNoCall.isDisjoint(with: known))
  }

  @Test func `with few open files apps get few connections and owners as many as ever`() {
    let owners = 2 * ServiceLimits.administrationConnections
    for files in [1_024, 2_048, 4_096, 8_192, 16_384, 32_768] {
      let connections = ServiceLimits.connections(openFiles: files)
      let sent = ServiceLimits.descriptorsSent(openFiles: files)
      let waiting = ServiceLimits.waitingConnections(openFiles: files)
      let libraries = ServiceLimits.filesPerLibrary * ServiceLimits.libraries(openFiles: files, memory: nil)
      let others = max(ServiceLimits.otherFiles, libraries)
      let kept = owners + sent.byKnown + sent.byStrangers + others + ServiceLimits.keptCopies(openFiles: files)
      #expect(3 * connections + waiting + kept <= files || connections == 32)
      #expect(waiting >= 32 && waiting <= ServiceLimits.waitingConnections)
      #expect(connections >= 32 && connections <= ServiceLimits.connections)
    }
    #expect(ServiceLimits.connections(openFiles: 32_768) == ServiceLimits.connections, "what the units allow is enough")
    #expect(ServiceLimits.waitingConnections(openFiles: 32_768) == ServiceLimits.waitingConnections)
    #expect(ServiceLimits.connections(openFiles: 4_096) > ServiceLimits.connections(openFiles: 2_048))
  }

  @Test func `the number of libraries follows files and memory, with a minimum`() {
    #expect(ServiceLimits.libraries(openFiles: 32_768, memory: nil) == 170)
    #expect(ServiceLimits.libraries(openFiles: 32_768, memory: 4 << 30) == 32)
    #expect(ServiceLimits.libraries(openFiles: 4_096, memory: 64 << 30) == 21)
    #expect(ServiceLimits.libraries(openFiles: 256, memory: 64 << 20) == ServiceLimits.leastLibraries)
  }

  @Test func `a piece in base64 fits a message`() {
    let text = (ServiceLimits.pieceBytes + 2) / 3 * 4
    #expect(text <= WireLimits.stringBytes && text + 1_024 <= WireLimits.frameBytes)
  }
}
