/// Every bound on what others can make the broker hold or do, in one file: the wire's, the tokens',
/// the decisions', the service's, the media worker's and the plugins'. `GetLimits` answers them all
/// (`ServiceLimits.table`), and each has a test that exceeds it by one.

// MARK: The wire

/// Every bound that the wire sets on what a peer can make us hold or do.
///
/// They are the defaults of the types that enforce them; each has a test that exceeds it by one.
public enum WireLimits {
  /// The longest message, in bytes, without its terminating NUL.
  public static let frameBytes = 1 << 20
  /// How deep objects and arrays may nest; the outermost one is level 1.
  public static let depth = 32
  /// The most elements of one array or entries of one map in a typed message.
  public static let arrayLength = 10_000
  /// The longest string of a typed message, in bytes of JSON text: base64 of 512 KiB.
  public static let stringBytes = 699_052
  /// The longest number, in bytes of JSON text; the longest exact Double needs 767 digits.
  public static let numberBytes = 1_100
  /// From how many whole calls on, received and not begun, no more bytes of a connection are read.
  public static let pendingCalls = 64
  /// The most bytes of one connection that may be received and not yet consumed.
  public static let receivedBytes = 2 << 20
  /// The most bytes of one connection that may be queued to be sent.
  public static let queuedBytes = 4 << 20
  /// The longest interface description, in bytes.
  public static let interfaceBytes = 1 << 18
  /// The most fields of one generated structure: one bit each tells which were seen.
  public static let structureFields = 64
}

// MARK: Tokens

/// The bounds that a token is held to; each has a test that exceeds it by one.
public enum MacaroonLimits {
  /// The most bytes of a token in its binary form.
  public static let bytes = 4096
  /// The most caveats of a token.
  public static let caveats = 64
  /// The most bytes of a library's or an app's name in a caveat.
  public static let nameBytes = 128
}

// MARK: Decisions

/// What the decisions are held to. Each limit has a test that exceeds it by one.
package enum BrokerLimits {
  /// Apps of one user, and as many more that one user may register for others. The oldest one that
  /// nobody ever decided on makes room.
  package static let appsPerUser = 256
  /// Introductions of one user's apps that are written at a time; more wait for their turn.
  package static let introductionsPerUser = 4
  /// How often in an hour an app on which somebody decided may call itself something else: each time is on record.
  package static let renamingsPerHour = 10
  /// How often in an hour a user may accept what is offered of one library, each time after having
  /// taken it back: each time is on record.
  package static let acceptancesPerHour = 10
  /// How often in an hour an app's person is asked whether it keeps its selection, however many life cycles begin.
  package static let keepQuestionsPerHour = 20
  /// How often in an hour an app may change albums that it did not make, each in one request
  /// counted once: each time is on record.
  package static let albumChangesPerHour = 100
  /// The same in a day, where such a change takes something away that was there: it, its title, how
  /// it was shared, or members.
  package static let albumTakingsPerDay = 100
  /// The same of all apps of one user.
  package static let albumTakingsPerUser = 300
  /// Users of whom one user declines whatever they offer.
  package static let declinedUsers = 256
  /// Questions that wait for one library's owner.
  package static let promptsPerLibrary = 64
  /// Questions that apps of one user may have open in one library.
  package static let promptsPerUser = 16
  /// Connections that wait for the same answer.
  package static let waitersPerPrompt = 64
  /// Selections that are drafted at a time, as the answer to one question or for the apps of one
  /// library; with more the oldest draft is forgotten.
  package static let selectionDrafts = 16
  /// How long a question waits before it is withdrawn. The status stays `notDetermined`.
  package static let promptLifetime = Duration.seconds(30 * 24 * 3600)
  /// Denials of one claimed app in one library and level after which it is not asked about for a while.
  package static let denialsPerApp = 2
  /// Denials of all apps of one user in one library after which none of them is asked about for a while.
  package static let denialsPerUser = 8
  /// How long that while is, from the last denial.
  package static let coolDown = Duration.seconds(24 * 3600)
  /// Pickers or selection pages that a person put aside, or questions about a selection that went
  /// with their tokens, of one claimed app in one library, after which none of that kind is shown
  /// for a while. So many changes of what an app says while a person is asked have the same effect.
  package static let dismissalsPerApp = 3
  /// Those of all apps of one user in one library, after which none of them shows any of that kind for a while.
  package static let dismissalsPerUser = 12
  /// How long that while is at first. Each one more within `coolDown` doubles it, up to that.
  package static let dismissalPause = Duration.seconds(60)
  /// Bytes of an album's title, or of a caption.
  package static let titleBytes = 1_024
  /// Assets that an album may hold; of those that whoever changes it can see, so that the limit tells of no others.
  package static let albumAssets = 100_000
  /// Photos that may be picked at a time in a picker for any number: an app is told of all of them in one message.
  package static let picked = 1_000
  /// Assets that one choice of assets may name; a larger one is a filter.
  package static let selectorIdentifiers = 10_000
  /// Options that a library's plugins may have in all.
  package static let optionsPerLibrary = 256
  /// Bytes of an app's identifier, or of its name.
  package static let appNameBytes = 128
  /// Bytes of a usage description in one language.
  package static let usageDescriptionBytes = 2_048
  /// Languages that a usage description is translated into.
  package static let usageDescriptionLanguages = 128
  /// Albums whose members one change request changes.
  package static let changedAlbums = 16
  /// Members of these albums together, of those that the app sees: looking at all of them takes the
  /// broker some milliseconds.
  package static let changedAlbumMembers = 100_000
  /// Files that an app's change requests which were cut off may have left in one library's storage;
  /// with more, none of its requests creates anything there until they are cleared away or have
  /// become the owner's.
  package static let additionsPerApp = 256
  /// Pickers that wait for one library's owners.
  package static let pickersPerLibrary = 64
  /// Pickers that apps of one user have open.
  package static let pickersPerUser = 16
  /// How long a change token is good for, however little happened since.
  package static let changeTokenLifetime = Duration.seconds(30 * 24 * 3600)
  /// How long what was picked can be loaded, if the connection lasts as long.
  package static let pickLifetime = Duration.seconds(24 * 3600)
  /// Time is cut into periods of this length, counted from 1970. What happened in a library in one
  /// of them is forgotten at the end of the next one, so after one to two periods. When a period
  /// begins every app's view begins anew, whether anything is forgotten or not, so that it tells
  /// nothing of what happened.
  package static let changeLogPeriod = Duration.seconds(90 * 24 * 3600)
  /// Tokens attached to one connection.
  package static let attachments = 16
  /// Libraries of one owner; each has processes of its own. Root may add more.
  package static let librariesPerOwner = 32
  /// Albums that one app made and that are in one library.
  package static let albumsPerApp = 512
  /// Members of all these albums together, of those that the app sees: looking at all of them takes
  /// the broker some tens of milliseconds.
  package static let albumMembersPerApp = 1_000_000
  /// Sets of assets that tokens of one grant which are attached at a time were narrowed to.
  package static let narrowingsPerGrant = 64
  /// Rules of one library.
  package static let rulesPerLibrary = 256
  /// Choices of assets of one rule.
  package static let selectorsPerRule = 16
  /// Bytes of one path pattern.
  package static let globBytes = 1_024
  /// Wildcards of one path pattern, counted where several of them mean no more than one of them as that one.
  package static let globWildcards = 256
  /// How long what a rule grants may last, in seconds: ten years.
  package static let ruleLifetimeSeconds: Int64 = 10 * 366 * 24 * 3600
  /// Users that one library is offered to. Anybody may offer, and each change writes all of them.
  package static let usersPerLibrary = 256
  /// Users who decide in one library beside its owner.
  package static let coOwnersPerLibrary = 32
  /// Decisions that are applied together.
  package static let decisionsPerFile = 1_000
  /// Bytes of a token's text: base64url of ``MacaroonLimits/bytes``.
  package static let tokenBytes = 5_462
}

// MARK: The service

/// Every bound that the service sets on what clients can make it hold or do, beside those of the wire (`WireLimits`).
/// `GetLimits` answers them all: see `table`.
package enum ServiceLimits {
  /// A connection that has not called anything by then is closed.
  package static let firstCallDeadline = Duration.seconds(2)
  /// How long what an app sent before it ended has to be carried out.
  package static let settlingDeadline = Duration.seconds(10)
  /// Connections of one user, to one of both sockets, that are let in at once, of whoever has opened none for a while.
  package static let connectionBurst = 256
  /// Connections of one user, to one of both sockets, that are let in each second when those are
  /// used up. More of them wait.
  package static let connectionsPerSecond = 1_024
  /// Connections of one user, to one of both sockets, that wait to be let in. More are closed at once.
  package static let waitingConnectionsPerUser = 1_024
  /// The same of all users, where as many files may be open as they take
  /// (``waitingConnections(openFiles:)``). With more, one of whoever has most of them is closed.
  package static let waitingConnections = 2_048
  /// Connections of apps in all, where as many files may be open as they take
  /// (``connections(openFiles:)``). With more, one of whoever holds most gives way; and of
  /// processes as many that have one or had.
  package static let connections = 4_096
  /// Connections of apps that run as one user.
  package static let connectionsPerUser = 1_024
  /// Connections of one process.
  package static let connectionsPerProcess = 256
  /// Descriptors that came on one connection and wait for the call that takes them.
  package static let descriptorsPerConnection = 64
  /// Descriptors that one user sent and that are not closed yet, those with them that one more message could bring.
  package static let descriptorsPerUser = 768
  /// The same of one who owns no library, at the owners' socket.
  package static let strangersDescriptorsPerUser = 384
  /// Descriptors that were sent on one connection and not taken by its reader; with more to send it waits.
  package static let descriptorsInFlight = 64
  /// The same of all connections of one user.
  package static let descriptorsInFlightPerUser = 512
  /// How long a connection waits for its reader to take them before it is closed.
  package static let stallLimit = Duration.seconds(5)
  /// Replies with descriptors that wait on one connection; with more, no further call is begun.
  package static let queuedDescriptors = 16
  /// Processes of one user that have connected and still run, each watched with a descriptor.
  package static let processesPerUser = 512
  /// Connections to the owners' socket in all; apps cannot use them up. With more, one of whoever holds most gives way.
  package static let administrationConnections = 256
  /// Connections of one user to the owners' socket.
  package static let administrationConnectionsPerUser = 64
  /// Connections to the owners' socket of all who own no library; the rest is kept for those who
  /// have something to revoke.
  package static let strangersAdministrationConnections = 128
  /// Bytes that are held for all connections of one user: messages that have not ended, calls that
  /// wait, replies that were not read.
  package static let heldBytesPerUser = 64 << 20
  /// Of all users, a share of the memory that there is; with more, a connection of whoever holds most is closed.
  package static let heldMemoryShare = 8
  /// Bytes of all copies that programs of one user have open or mapped, or are streamed; each counts as a MiB at least.
  package static let handedBytesPerUser = 1 << 30
  /// Of all users, a share of the machine's memory; half of that is kept for users who have none.
  package static let handedMemoryShare = 4
  /// Bytes of one user's copies while they are made, or until they are stored: with more, who wants another one waits.
  package static let copyingBytesPerUser = 1 << 30
  /// Of all users, a share of the memory that there is; a user has three quarters of that at most.
  package static let copyingMemoryShare = 4
  /// Of all copies that are kept for who reads them again, a share of the memory that there is; an
  /// owner's libraries have half of that.
  package static let keptMemoryShare = 8
  /// Photos of all users' libraries take a share of the memory that there is, ``photoMemoryBytes``
  /// each while their library is looked at; `photobrokerd --photos` sets how many there may be. A
  /// user's libraries have no more of them than are left for all others, but for those of the user
  /// that the broker runs as.
  package static let photoMemoryShare = 2
  /// Bytes that a photo takes then.
  package static let photoMemoryBytes = 3_072
  /// Libraries of all users take a share of the files that may be open, ``filesPerLibrary`` each. A
  /// user has no more libraries than are left for all others.
  package static let libraryFileShare = 16
  /// Files that the broker has open for a library whose storage has two processes.
  package static let filesPerLibrary = 12
  /// The same of the memory that there is, ``libraryMemoryBytes`` each.
  package static let libraryMemoryShare = 16
  /// Bytes that the processes of one library's storage take.
  package static let libraryMemoryBytes = 8 << 20
  /// What the kernel holds for a slow reader, in bytes; it doubles the number.
  package static let sendBufferBytes: Int32 = 65_536
  /// Assets on one page.
  package static let pageLimit = 1_000
  package static let defaultPageLimit = 100
  /// Assets on one page of versions.
  package static let versionsLimit = 10_000
  /// Bytes of one piece of `ReadBytes` and of `AppendUpload`.
  package static let pieceBytes = 524_288
  /// Identifiers in one filter or one step of a change.
  package static let identifiers = 1_000
  /// Steps of one change request.
  package static let changes = 1_000
  /// Bytes of a text filter.
  package static let textBytes = 256
  /// What a date can be set to, in microseconds since 1970-01-01T00:00:00Z: the years 1 to 9999.
  package static let dates: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999
  /// Longest edge of a thumbnail in pixels.
  package static let thumbnailPixels = 16...2_560
  /// Bytes of one file that apps are served. A larger one is left out of its library, by name.
  package static let resourceBytes = 1 << 40
  /// Bytes of one file that apps are handed as a descriptor: it is copied into memory first. A
  /// larger one is read in pieces or streamed.
  package static let openedBytes = 1 << 30
  /// Bytes of one file that is copied to be looked into, or to be read in pieces. A larger one is read where it lies.
  package static let copiedBytes = 256 << 20
  /// Bytes that are fetched together of a far file that is too large to be copied.
  package static let partBytes = 8 << 20
  /// Bytes of one asset that an app adds.
  package static let addedAssetBytes = 1 << 30
  /// Bytes of its file's name.
  package static let addedNameBytes = 200
  /// Assets that one change request creates.
  package static let createdAssets = 32
  /// Bytes of all of them.
  package static let createdBytes = 1 << 30
  /// Bytes that have come of what an app's requests are to create and that are not stored yet, over
  /// all of them, in all libraries.
  package static let createdBytesPerApp = 1 << 30
  /// The same of a user's apps together, in one library.
  package static let createdBytesPerUser = 2 << 30
  /// Bytes of a placeholder.
  package static let placeholderBytes = 64
  /// Uploads of one connection at a time.
  package static let uploadsPerConnection = 4
  /// Bytes of all uploads of one connection.
  package static let uploadBytes = 64 << 20
  /// Bytes of all uploads of one user.
  package static let uploadBytesPerUser = 256 << 20
  /// Observers and streams of one app.
  package static let subscriptionsPerApp = 64
  /// Choices of assets that are applied together.
  package static let selectorsPerApplication = 256
  /// Assets on one page of columns, and albums of one list, for owners.
  package static let columnLimit = 10_000
  /// How long a code opens the owner's page.
  package static let pageCodeLifetime = Duration.seconds(60)
  /// Codes of one user that wait to be used.
  package static let pageCodesPerUser = 16
  /// A manifest, in bytes.
  package static let manifestBytes = 65_536
}

// MARK: The media worker

/// How long and how much the media worker may take for one file.
package enum MediaLimits {
  /// For one file's facts, waiting for other files and starting the worker included.
  package static let factsDeadline = Duration.seconds(10)
  /// For one thumbnail, the same included, once its turn among those of all apps has come.
  package static let thumbnailDeadline = Duration.seconds(20)
  /// Bytes of the largest thumbnail that is taken over.
  package static let thumbnailBytes = 16 << 20
  /// For one preview of a video; the worker itself ends earlier and gives what it has.
  package static let previewDeadline = Duration.seconds(75)
  /// Bytes of the largest preview that is taken over.
  package static let previewBytes = 24 << 20
}

// MARK: Plugins

/// What plugins are held to where no administrator says otherwise.
package enum PluginLimits {
  /// Calls of one trusted plugin, inside of the daemon, that may not have come back before no
  /// further thread is started for it: what three libraries' objects can be stuck in. Nothing can
  /// end such a thread.
  package static let lateThreads = 48
  /// Photos that one library's list may have; `photobrokerd --library-photos` sets another number.
  package static let listedItems = 2_000_000
  /// Bytes that each of them may take on average, as texts in memory.
  package static let listedItemBytes = 512
  /// Pages of a list in a row without a photo.
  package static let emptyPages = 1_000
  /// The longest that a plugin's answer is waited for; `photobrokerd --plugin-answer` sets another time.
  package static let answerDeadline = Duration.seconds(60)
  /// The longest that the first byte of a reading is waited for, with the start of a process, if it
  /// needs one: an app that waits is told then. One in the daemon, which cannot be ended, is fenced
  /// soon after.
  package static let firstByteDeadline = Duration.seconds(30)
  /// The longest that each further byte is waited for.
  package static let byteDeadline = Duration.seconds(60)
  /// How fast an upload is at least, in bytes a second: its deadline grows with its size.
  package static let uploadBytesPerSecond = 128 << 10
}
