import Broker
import Limits
import Varlink

extension ServiceLimits {
  /// Every limit that a client can reach, by name, for `GetLimits`.
  package static let table: [String: Int64] = Dictionary(
    uniqueKeysWithValues: (connectionTable + callTable + wireTable + tokenTable + decisionTable + mediaTable
      + pluginTable).map {
        ($0.name, Int64($0.value))
      })

  private typealias Row = (name: String, value: Int)

  private static let connectionTable: [Row] = [
    ("firstCallSeconds", Int(firstCallDeadline.components.seconds)),
    ("settlingSeconds", Int(settlingDeadline.components.seconds)),
    ("connectionBurst", connectionBurst),
    ("connectionsPerSecond", connectionsPerSecond),
    ("waitingConnectionsPerUser", waitingConnectionsPerUser),
    ("waitingConnections", waitingConnections(openFiles: OpenFiles.limit)),
    ("connections", connections(openFiles: OpenFiles.limit)),
    ("connectionsPerUser", connectionsPerUser),
    ("connectionsPerProcess", connectionsPerProcess),
    ("processesPerUser", processesPerUser),
    ("descriptorsPerConnection", descriptorsPerConnection),
    ("descriptorsPerUser", descriptorsPerUser),
    ("strangersDescriptorsPerUser", strangersDescriptorsPerUser),
    ("descriptorsInFlight", descriptorsInFlight),
    ("descriptorsInFlightPerUser", descriptorsInFlightPerUser),
    ("stallSeconds", Int(stallLimit.components.seconds)),
    ("queuedDescriptors", queuedDescriptors),
    ("administrationConnections", administrationConnections),
    ("administrationConnectionsPerUser", administrationConnectionsPerUser),
    ("strangersAdministrationConnections", strangersAdministrationConnections),
    ("heldBytesPerUser", heldBytesPerUser),
    ("heldMemoryShare", heldMemoryShare),
    ("handedBytesPerUser", handedBytesPerUser),
    ("handedMemoryShare", handedMemoryShare),
    ("copyingBytesPerUser", copyingBytesPerUser),
    ("copyingMemoryShare", copyingMemoryShare),
    ("keptMemoryShare", keptMemoryShare),
    ("photoMemoryShare", photoMemoryShare),
    ("photoMemoryBytes", photoMemoryBytes),
    ("libraryFileShare", libraryFileShare),
    ("filesPerLibrary", filesPerLibrary),
    ("libraryMemoryShare", libraryMemoryShare),
    ("libraryMemoryBytes", libraryMemoryBytes),
    ("sendBufferBytes", Int(sendBufferBytes)),
  ]

  private static let callTable: [Row] = [
    ("pageLimit", pageLimit),
    ("columnLimit", columnLimit),
    ("pageCodeSeconds", Int(pageCodeLifetime.components.seconds)),
    ("pageCodesPerUser", pageCodesPerUser),
    ("defaultPageLimit", defaultPageLimit),
    ("versionsLimit", versionsLimit),
    ("datesFrom", Int(dates.lowerBound)),
    ("datesTo", Int(dates.upperBound)),
    ("thumbnailPixelsFrom", thumbnailPixels.lowerBound),
    ("pieceBytes", pieceBytes),
    ("identifiers", identifiers),
    ("changes", changes),
    ("textBytes", textBytes),
    ("thumbnailPixels", thumbnailPixels.upperBound),
    ("resourceBytes", resourceBytes),
    ("openedBytes", openedBytes),
    ("copiedBytes", copiedBytes),
    ("partBytes", partBytes),
    ("addedAssetBytes", addedAssetBytes),
    ("addedNameBytes", addedNameBytes),
    ("createdAssets", createdAssets),
    ("createdBytes", createdBytes),
    ("createdBytesPerApp", createdBytesPerApp),
    ("createdBytesPerUser", createdBytesPerUser),
    ("placeholderBytes", placeholderBytes),
    ("uploadsPerConnection", uploadsPerConnection),
    ("uploadBytes", uploadBytes),
    ("uploadBytesPerUser", uploadBytesPerUser),
    ("subscriptionsPerApp", subscriptionsPerApp),
    ("manifestBytes", manifestBytes),
    ("selectorsPerApplication", selectorsPerApplication),
  ]

  private static let wireTable: [Row] = [
    ("messageBytes", WireLimits.frameBytes),
    ("messageDepth", WireLimits.depth),
    ("arrayLength", WireLimits.arrayLength),
    ("stringBytes", WireLimits.stringBytes),
    ("numberBytes", WireLimits.numberBytes),
    ("pendingCalls", WireLimits.pendingCalls),
    ("receivedBytes", WireLimits.receivedBytes),
    ("queuedBytes", WireLimits.queuedBytes),
    ("interfaceBytes", WireLimits.interfaceBytes),
    ("structureFields", WireLimits.structureFields),
  ]

  private static let tokenTable: [Row] = [
    ("macaroonBytes", MacaroonLimits.bytes),
    ("caveats", MacaroonLimits.caveats),
    ("caveatNameBytes", MacaroonLimits.nameBytes),
  ]

  private static let decisionTable: [Row] = [
    ("budgetsPerAccess", BrokerLimits.budgetsPerAccess),
    ("budgetsPerToken", MacaroonLimits.budgetsPerToken),
    ("appsPerUser", BrokerLimits.appsPerUser),
    ("promptsPerLibrary", BrokerLimits.promptsPerLibrary),
    ("promptsPerUser", BrokerLimits.promptsPerUser),
    ("selectionDrafts", BrokerLimits.selectionDrafts),
    ("liveExclusions", BrokerLimits.liveExclusions),
    ("waitersPerPrompt", BrokerLimits.waitersPerPrompt),
    ("promptLifetimeSeconds", Int(BrokerLimits.promptLifetime.components.seconds)),
    ("coolDownSeconds", Int(BrokerLimits.coolDown.components.seconds)),
    ("titleBytes", BrokerLimits.titleBytes),
    ("albumAssets", BrokerLimits.albumAssets),
    ("picked", BrokerLimits.picked),
    ("selectorIdentifiers", BrokerLimits.selectorIdentifiers),
    ("optionsPerLibrary", BrokerLimits.optionsPerLibrary),
    ("appNameBytes", BrokerLimits.appNameBytes),
    ("usageDescriptionBytes", BrokerLimits.usageDescriptionBytes),
    ("usageDescriptionLanguages", BrokerLimits.usageDescriptionLanguages),
    ("additionsPerApp", BrokerLimits.additionsPerApp),
    ("changedAlbums", BrokerLimits.changedAlbums),
    ("changedAlbumMembers", BrokerLimits.changedAlbumMembers),
    ("pickersPerLibrary", BrokerLimits.pickersPerLibrary),
    ("pickersPerUser", BrokerLimits.pickersPerUser),
    ("pickLifetimeSeconds", Int(BrokerLimits.pickLifetime.components.seconds)),
    ("changeTokenLifetimeSeconds", Int(BrokerLimits.changeTokenLifetime.components.seconds)),
    ("changeLogPeriodSeconds", Int(BrokerLimits.changeLogPeriod.components.seconds)),
    ("denialsPerApp", BrokerLimits.denialsPerApp),
    ("denialsPerUser", BrokerLimits.denialsPerUser),
    ("dismissalsPerApp", BrokerLimits.dismissalsPerApp),
    ("dismissalsPerUser", BrokerLimits.dismissalsPerUser),
    ("dismissalPauseSeconds", Int(BrokerLimits.dismissalPause.components.seconds)),
    ("attachments", BrokerLimits.attachments),
    ("tokenBytes", BrokerLimits.tokenBytes),
    ("librariesPerOwner", BrokerLimits.librariesPerOwner),
    ("introductionsPerUser", BrokerLimits.introductionsPerUser),
    ("renamingsPerHour", BrokerLimits.renamingsPerHour),
    ("acceptancesPerHour", BrokerLimits.acceptancesPerHour),
    ("albumChangesPerHour", BrokerLimits.albumChangesPerHour),
    ("albumTakingsPerDay", BrokerLimits.albumTakingsPerDay),
    ("albumTakingsPerUser", BrokerLimits.albumTakingsPerUser),
    ("keepQuestionsPerHour", BrokerLimits.keepQuestionsPerHour),
    ("declinedUsers", BrokerLimits.declinedUsers),
    ("albumsPerApp", BrokerLimits.albumsPerApp),
    ("albumMembersPerApp", BrokerLimits.albumMembersPerApp),
    ("narrowingsPerGrant", BrokerLimits.narrowingsPerGrant),
    ("rulesPerLibrary", BrokerLimits.rulesPerLibrary),
    ("selectorsPerRule", BrokerLimits.selectorsPerRule),
    ("globBytes", BrokerLimits.globBytes),
    ("globWildcards", BrokerLimits.globWildcards),
    ("ruleLifetimeSeconds", Int(BrokerLimits.ruleLifetimeSeconds)),
    ("usersPerLibrary", BrokerLimits.usersPerLibrary),
    ("coOwnersPerLibrary", BrokerLimits.coOwnersPerLibrary),
    ("decisionsPerFile", BrokerLimits.decisionsPerFile),
  ]

  private static let mediaTable: [Row] = [
    ("factsSeconds", Int(MediaLimits.factsDeadline.components.seconds)),
    ("thumbnailSeconds", Int(MediaLimits.thumbnailDeadline.components.seconds)),
    ("thumbnailBytes", MediaLimits.thumbnailBytes),
    ("previewSeconds", Int(MediaLimits.previewDeadline.components.seconds)),
    ("previewBytes", MediaLimits.previewBytes),
  ]

  private static let pluginTable: [Row] = [
    ("listedItems", PluginLimits.listedItems),
    ("listedItemBytes", PluginLimits.listedItemBytes),
    ("emptyListPages", PluginLimits.emptyPages),
    ("pluginAnswerSeconds", Int(PluginLimits.answerDeadline.components.seconds)),
    ("firstByteSeconds", Int(PluginLimits.firstByteDeadline.components.seconds)),
    ("byteSeconds", Int(PluginLimits.byteDeadline.components.seconds)),
    ("uploadBytesPerSecond", PluginLimits.uploadBytesPerSecond),
    ("latePluginThreads", PluginLimits.lateThreads),
  ]
}
