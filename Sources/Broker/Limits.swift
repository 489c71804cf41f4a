/// What the decisions are held to. Each limit has a test that exceeds it by one.
package enum BrokerLimits {
  /// Apps that one user may have registered. The oldest one that nobody ever decided on makes room.
  package static let appsPerUser = 256
  /// Questions that wait for one library's owner.
  package static let promptsPerLibrary = 64
  /// Questions that apps of one user may have open in one library.
  package static let promptsPerUser = 16
  /// Connections that wait for the same answer.
  package static let waitersPerPrompt = 64
  /// How long a question waits before it is withdrawn. The status stays `notDetermined`.
  package static let promptLifetime = Duration.seconds(30 * 24 * 3600)
  /// Denials of one claimed app in one library and level after which it is not asked about for a while.
  package static let denialsPerApp = 2
  /// Denials of all apps of one user in one library after which none of them is asked about for a while.
  package static let denialsPerUser = 8
  /// How long that while is, from the last denial.
  package static let coolDown = Duration.seconds(24 * 3600)
  /// Pickers that wait for one library's owners.
  package static let pickersPerLibrary = 64
  /// Pickers that apps of one user have open.
  package static let pickersPerUser = 16
  /// How long a change token is good for, however little happened since.
  package static let changeTokenLifetime = Duration.seconds(30 * 24 * 3600)
  /// Tokens attached to one connection.
  package static let attachments = 16
  /// Rules of one library.
  package static let rulesPerLibrary = 256
  /// Choices of assets of one rule.
  package static let selectorsPerRule = 16
  /// How long what a rule grants may last, in seconds: ten years.
  package static let ruleLifetimeSeconds: Int64 = 10 * 366 * 24 * 3600
  /// Users who decide in one library beside its owner.
  package static let coOwnersPerLibrary = 32
  /// Decisions that are applied together.
  package static let decisionsPerFile = 1_000
  /// Bytes of a token's text.
  package static let tokenBytes = 4_096
}
