/// Every limit on peers, apps, owners, workers and plugins is in this file. `GetLimits` answers all
/// of them (`ServiceLimits.table`). For each, a test exceeds it by one.

// MARK: The wire

/// The limits of the wire: the bytes and structure that a peer can make this process hold.
///
/// They are the defaults of the types that enforce them.
public enum WireLimits {
  /// The longest message in bytes, without its final NUL.
  public static let frameBytes = 1 << 20
  /// The greatest nesting depth of objects and arrays; the outermost is level 1.
  public static let depth = 32
  /// The most elements of an array, or entries of a map, in a typed message.
  public static let arrayLength = 10_000
  /// The longest string of a typed message in bytes of JSON text: base64 of 512 KiB.
  public static let stringBytes = 699_052
  /// The longest number in bytes of JSON text. The longest exact Double needs 767 digits.
  public static let numberBytes = 1_100
  /// The number of received, unstarted calls at which the connection pauses reading.
  public static let pendingCalls = 64
  /// The most bytes of one connection that are received and not yet consumed.
  public static let receivedBytes = 2 << 20
  /// The most bytes of one connection that are queued to be sent.
  public static let queuedBytes = 4 << 20
  /// The longest interface description in bytes.
  public static let interfaceBytes = 1 << 18
  /// The most fields of a generated structure. The decoder marks seen fields in a 64-bit mask.
  public static let structureFields = 64
}

// MARK: Tokens

/// The limits of a token.
public enum MacaroonLimits {
  /// The longest binary token in bytes.
  public static let bytes = 4096
  /// The most caveats of a token.
  public static let caveats = 64
  /// The most caveats of a token that count uses or bytes.
  public static let budgetsPerToken = 8
  /// The longest name of a library or app in a caveat, in bytes.
  public static let nameBytes = 128
}

// MARK: Decisions

/// The limits of the broker's decisions, prompts and albums.
package enum BrokerLimits {
  /// Apps of one user, and the apps that one user may register for others. The oldest app without a
  /// decision is removed to make room.
  package static let appsPerUser = 256
  /// Introductions of one user's apps that are stored at a time. More are queued.
  package static let introductionsPerUser = 4
  /// Renamings per hour of an app that somebody decided on. Each is recorded.
  package static let renamingsPerHour = 10
  /// Acceptances per hour of one library's offer by one user, who withdrew it each time. Each is
  /// recorded.
  package static let acceptancesPerHour = 10
  /// Prompts per hour to keep an app's selection, however many life cycles begin.
  package static let keepQuestionsPerHour = 20
  /// Change requests per hour by which an app changes albums of others. Each is recorded.
  package static let albumChangesPerHour = 100
  /// Change requests per day by which an app removes an album of others, its title, its sharing or
  /// its members.
  package static let albumTakingsPerDay = 100
  /// The same for all apps of one user.
  package static let albumTakingsPerUser = 300
  /// Users whose offers one user declines.
  package static let declinedUsers = 256
  /// The least default of a limited grant's allowance: different photos in a day of which its app
  /// gets bytes. The default is three times the selection if that is more.
  package static let photosPerDay: Int64 = 500
  /// The choices of the longest edge of the pictures that stand for files, in pixels.
  package static let picturePixels = 256...2_560
  /// Pending prompts of one library; as many deletions can wait there.
  package static let promptsPerLibrary = 64
  /// Pending prompts of one user's apps in one library; as many deletions can wait there.
  package static let promptsPerUser = 16
  /// Connections that wait for the same prompt.
  package static let waitersPerPrompt = 64
  /// Selection drafts for one prompt, or for the apps of one library. A further draft replaces the
  /// oldest.
  package static let selectionDrafts = 16
  /// Assets that people took out of one live selection.
  package static let liveExclusions = 10_000
  /// The lifetime of a prompt. A withdrawn prompt leaves the status `notDetermined`.
  package static let promptLifetime = Duration.seconds(30 * 24 * 3600)
  /// Denials of one claimed app in one library before its prompts pause for `coolDown`.
  package static let denialsPerApp = 2
  /// Denials of all apps of one user in one library before their prompts pause for `coolDown`.
  package static let denialsPerUser = 8
  /// The pause after the last of these denials.
  package static let coolDown = Duration.seconds(24 * 3600)
  /// Dismissals of one claimed app in one library before its pickers or selection pages pause for
  /// `dismissalPause`. A prompt about its selection that ended with its token counts too. So does a
  /// change of the app's claims during a prompt.
  package static let dismissalsPerApp = 3
  /// Dismissals of all apps of one user in one library before their pickers or selection pages
  /// pause.
  package static let dismissalsPerUser = 12
  /// The first pause. Each further dismissal within `coolDown` doubles it, up to `coolDown`.
  package static let dismissalPause = Duration.seconds(60)
  /// The longest album title or caption in bytes.
  package static let titleBytes = 1_024
  /// Assets of an album. The limit counts only assets that the caller sees, so that it reveals no
  /// others.
  package static let albumAssets = 100_000
  /// Assets that a picker without a limit returns, or a person confirms to be deleted: all of them
  /// are one message.
  package static let picked = 1_000
  /// Identifiers in one selector. A larger selector needs a filter.
  package static let selectorIdentifiers = 10_000
  /// Plugin options of one library in total.
  package static let optionsPerLibrary = 256
  /// The longest identifier or name of an app in bytes.
  package static let appNameBytes = 128
  /// The longest usage description in one language, in bytes.
  package static let usageDescriptionBytes = 2_048
  /// Translations of a usage description.
  package static let usageDescriptionLanguages = 128
  /// Albums whose members one change request changes.
  package static let changedAlbums = 16
  /// Members of these albums in total that the app sees. The broker needs milliseconds to check all
  /// of them.
  package static let changedAlbumMembers = 100_000
  /// Files in one library's storage from failed change requests of one app. At this limit the app
  /// cannot create assets there until the files are deleted or become the owner's.
  package static let additionsPerApp = 256
  /// Open pickers of one library.
  package static let pickersPerLibrary = 64
  /// Open pickers of one user's apps.
  package static let pickersPerUser = 16
  /// The lifetime of a change token, even if little has changed.
  package static let changeTokenLifetime = Duration.seconds(30 * 24 * 3600)
  /// The time for which a picked item can be loaded, if the connection lasts as long.
  package static let pickLifetime = Duration.seconds(24 * 3600)
  /// The length of one period of the change log, counted from 1970. Changes are forgotten at the
  /// end of the next period, after one to two periods. Each period resets every app's view, whether
  /// changes are forgotten or not, so that the reset reveals nothing.
  package static let changeLogPeriod = Duration.seconds(90 * 24 * 3600)
  /// Tokens attached to one connection.
  package static let attachments = 16
  /// Budgets of the tokens of one access from which something was taken.
  package static let budgetsPerAccess = 256
  /// Child tokens of one grant that have not ended, or were issued within the last hour.
  package static let childTokens = 64
  /// Libraries of one owner; each has its own processes. Root may add more.
  package static let librariesPerOwner = 32
  /// Albums of one app in one library.
  package static let albumsPerApp = 512
  /// Members of these albums in total that the app sees. The broker needs tens of milliseconds to
  /// check all of them.
  package static let albumMembersPerApp = 1_000_000
  /// Different asset sets among the attached, attenuated tokens of one grant.
  package static let narrowingsPerGrant = 64
  /// Rules of one library.
  package static let rulesPerLibrary = 256
  /// Selectors of one rule.
  package static let selectorsPerRule = 16
  /// The longest path pattern in bytes.
  package static let globBytes = 1_024
  /// Wildcards of a path pattern. Adjacent ones that are equivalent to one count as one.
  package static let globWildcards = 256
  /// The longest duration of a rule's grant in seconds: ten years.
  package static let ruleLifetimeSeconds: Int64 = 10 * 366 * 24 * 3600
  /// Users to whom a library is offered. Any user may offer a library, and each change stores the
  /// whole list.
  package static let usersPerLibrary = 256
  /// Co-owners of one library.
  package static let coOwnersPerLibrary = 32
  /// Decisions that one call applies.
  package static let decisionsPerFile = 1_000
  /// The longest token text in bytes: base64url of ``MacaroonLimits/bytes``.
  package static let tokenBytes = 5_462
}

// MARK: The service

/// The limits of the service, beside those of the wire (`WireLimits`).
package enum ServiceLimits {
  /// The timeout for the first call of a connection.
  package static let firstCallDeadline = Duration.seconds(2)
  /// The time for which calls of an app continue after its process ended.
  package static let settlingDeadline = Duration.seconds(10)
  /// Connections of one user to one socket that are accepted at once, after a time without new
  /// ones.
  package static let connectionBurst = 256
  /// Connections of one user to one socket that are accepted per second after such a burst. More
  /// are pending.
  package static let connectionsPerSecond = 1_024
  /// Pending connections of one user to one socket. More are closed at once.
  package static let waitingConnectionsPerUser = 1_024
  /// Pending connections of all users, if the open-file limit allows it
  /// (``waitingConnections(openFiles:)``). A further one closes one of the user with most.
  package static let waitingConnections = 2_048
  /// Connections of all apps, if the open-file limit allows it (``connections(openFiles:)``). A
  /// further one closes one of the user with most. As many processes with present or former
  /// connections are allowed.
  package static let connections = 4_096
  /// Connections of one user's apps.
  package static let connectionsPerUser = 1_024
  /// Connections of one process.
  package static let connectionsPerProcess = 256
  /// Received descriptors of one connection that wait for their call.
  package static let descriptorsPerConnection = 64
  /// Open descriptors from one user, with those that one more message could bring.
  package static let descriptorsPerUser = 768
  /// The same at the owners' socket, for a user who owns no library.
  package static let strangersDescriptorsPerUser = 384
  /// Descriptors sent on one connection and not yet received by the peer. At this limit sending
  /// waits.
  package static let descriptorsInFlight = 64
  /// The same for all connections of one user.
  package static let descriptorsInFlightPerUser = 512
  /// The timeout for a peer that does not receive them. The connection is then closed.
  package static let stallLimit = Duration.seconds(5)
  /// Queued replies with descriptors of one connection. At this limit no further call starts.
  package static let queuedDescriptors = 16
  /// Running processes of one user that have connected. Each needs a descriptor.
  package static let processesPerUser = 512
  /// Connections to the owners' socket; apps cannot use them up. A further one closes one of the
  /// user with most.
  package static let administrationConnections = 256
  /// Connections of one user to the owners' socket.
  package static let administrationConnectionsPerUser = 64
  /// Connections to the owners' socket of all users without a library. The rest is reserved for
  /// users who may need to revoke.
  package static let strangersAdministrationConnections = 128
  /// Bytes of unfinished messages, queued calls and unread replies on all connections of one user.
  package static let heldBytesPerUser = 64 << 20
  /// The same for all users, as 1/n of available memory, where n is this number. Above it, a
  /// connection of the user with most is closed.
  package static let heldMemoryShare = 8
  /// Bytes of copies that one user's programs hold open, map or stream. Each counts as at least 1
  /// MiB.
  package static let handedBytesPerUser = 1 << 30
  /// The same for all users, as 1/n of the machine's memory. Half of it is reserved for users
  /// without any.
  package static let handedMemoryShare = 4
  /// Bytes of one user's copies in progress, until they are stored. At this limit further copies
  /// are queued.
  package static let copyingBytesPerUser = 1 << 30
  /// The same for all users, as 1/n of available memory. One user may have three quarters
  /// of it.
  package static let copyingMemoryShare = 4
  /// Bytes of cached copies for repeated reads, as 1/n of available memory. One owner's
  /// libraries may have half of it.
  package static let keptMemoryShare = 8
  /// Photos of all libraries, as 1/n of available memory at ``photoMemoryBytes`` each.
  /// `photobrokerd --photos` sets a number instead. One user's libraries may have only as many as
  /// are left for all others, except those of the broker's own user.
  package static let photoMemoryShare = 2
  /// Bytes per photo during a scan.
  package static let photoMemoryBytes = 3_072
  /// Libraries of all users, as 1/n of the open-file limit at ``filesPerLibrary`` each. One
  /// user may have only as many as are left for all others.
  package static let libraryFileShare = 16
  /// The broker's open files for a library whose storage has two processes.
  package static let filesPerLibrary = 12
  /// Libraries of all users, as 1/n of available memory at ``libraryMemoryBytes`` each.
  package static let libraryMemoryShare = 16
  /// Bytes of memory of one storage's processes.
  package static let libraryMemoryBytes = 8 << 20
  /// The kernel's buffer for a slow reader in bytes. The kernel doubles the number.
  package static let sendBufferBytes: Int32 = 65_536
  /// The largest page of assets.
  package static let pageLimit = 1_000
  package static let defaultPageLimit = 100
  /// The largest page of versions.
  package static let versionsLimit = 10_000
  /// The most bytes of one `ReadBytes` or `AppendUpload`.
  package static let pieceBytes = 524_288
  /// Identifiers in one filter or one change step.
  package static let identifiers = 1_000
  /// Steps of one change request.
  package static let changes = 1_000
  /// The longest text filter in bytes.
  package static let textBytes = 256
  /// Settable dates in microseconds since 1970-01-01T00:00:00Z: the years 1 to 9999.
  package static let dates: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999
  /// The longest edge of a thumbnail in pixels.
  package static let thumbnailPixels = 16...2_560
  /// The largest file that apps can read, in bytes. The library skips and names larger files.
  package static let resourceBytes = 1 << 40
  /// The largest file that apps get as a descriptor, in bytes, since it is first copied into
  /// memory. Larger files are read in parts or streamed.
  package static let openedBytes = 1 << 30
  /// The largest file that is copied to be parsed or read in parts, in bytes. Larger files are read
  /// in place.
  package static let copiedBytes = 256 << 20
  /// Bytes per request to a remote storage, for a file too large to be copied.
  package static let partBytes = 8 << 20
  /// The largest asset that an app adds, in bytes.
  package static let addedAssetBytes = 1 << 30
  /// The longest file name of such an asset in bytes.
  package static let addedNameBytes = 200
  /// Assets that one change request creates.
  package static let createdAssets = 32
  /// Bytes of these assets in total.
  package static let createdBytes = 1 << 30
  /// Received bytes of one app's change requests that are not stored yet, in all libraries.
  package static let createdBytesPerApp = 1 << 30
  /// The same for all apps of one user in one library.
  package static let createdBytesPerUser = 2 << 30
  /// The longest placeholder in bytes.
  package static let placeholderBytes = 64
  /// Uploads in progress on one connection.
  package static let uploadsPerConnection = 4
  /// Bytes of all uploads on one connection.
  package static let uploadBytes = 64 << 20
  /// Bytes of all uploads of one user.
  package static let uploadBytesPerUser = 256 << 20
  /// Observers and streams of one app.
  package static let subscriptionsPerApp = 64
  /// Selectors in one `Apply`.
  package static let selectorsPerApplication = 256
  /// The largest page of columns, or of albums, for owners.
  package static let columnLimit = 10_000
  /// The lifetime of a code for the owner's page.
  package static let pageCodeLifetime = Duration.seconds(60)
  /// Unused page codes of one user.
  package static let pageCodesPerUser = 16
  /// The longest manifest in bytes.
  package static let manifestBytes = 65_536
}

// MARK: The media worker

/// The time and size limits of the media worker for one file.
package enum MediaLimits {
  /// For one file's facts, with the wait in the queue and the worker's start.
  package static let factsDeadline = Duration.seconds(10)
  /// For one thumbnail, with the worker's start, after its wait in the fair queue of all apps.
  package static let thumbnailDeadline = Duration.seconds(20)
  /// The largest accepted thumbnail in bytes.
  package static let thumbnailBytes = 16 << 20
  /// For one preview of a video. The worker itself stops earlier and answers the part that it has.
  package static let previewDeadline = Duration.seconds(75)
  /// The largest accepted preview in bytes.
  package static let previewBytes = 24 << 20
}

// MARK: Plugins

/// The limits of plugins, unless the administrator sets others.
package enum PluginLimits {
  /// Overdue calls of one trusted plugin, in the daemon's process, at which it gets no further
  /// threads. Nothing can end such a thread. The number is enough for three libraries' objects.
  package static let lateThreads = 48
  /// Photos in one library's list; `photobrokerd --library-photos` sets another number.
  package static let listedItems = 2_000_000
  /// Bytes of the texts of a listed photo in memory, on average.
  package static let listedItemBytes = 512
  /// Consecutive pages of a list without a photo.
  package static let emptyPages = 1_000
  /// The timeout of a plugin's call; `photobrokerd --plugin-answer` sets another.
  package static let answerDeadline = Duration.seconds(60)
  /// The timeout for the first byte of a read, with the start of a process if needed. The waiting
  /// app then gets an error. A plugin in the daemon cannot be ended, and is fenced soon after.
  package static let firstByteDeadline = Duration.seconds(30)
  /// The timeout for each further byte of a read.
  package static let byteDeadline = Duration.seconds(60)
  /// The lowest speed of an upload in bytes per second. Its timeout grows with its size.
  package static let uploadBytesPerSecond = 128 << 10
}
