/// Every bound that the service sets on what clients can make it hold or do, beside those of the wire (`WireLimits`).
/// `GetLimits` answers them all: see `table`.
package enum ServiceLimits {
  /// A connection that has not called anything by then is closed.
  package static let firstCallDeadline = Duration.seconds(2)
  /// Connections of apps in all.
  package static let connections = 4_096
  /// Connections of apps that run as one user.
  package static let connectionsPerUser = 1_024
  /// Connections of one process.
  package static let connectionsPerProcess = 256
  /// Descriptors that came on one connection and wait for the call that takes them.
  package static let descriptorsPerConnection = 64
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
  /// Connections to the owners' socket in all; apps cannot use them up.
  package static let administrationConnections = 256
  /// Connections of one user to the owners' socket.
  package static let administrationConnectionsPerUser = 64
  /// Connections to the owners' socket of all who own no library; the rest is kept for those who have something to revoke.
  package static let strangersAdministrationConnections = 128
  /// Bytes that are held for all connections of one user: messages that have not ended, calls that wait, replies that were
  /// not read.
  package static let heldBytesPerUser = 64 << 20
  /// Bytes of all copies that programs of one user have open or mapped; each counts as a MiB at least.
  package static let handedBytesPerUser = 1 << 30
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
  /// Bytes of one asset that an app adds.
  package static let addedAssetBytes = 4 << 30
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
