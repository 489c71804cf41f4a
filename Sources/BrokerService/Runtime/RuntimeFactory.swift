import Broker
import PhotoModel

/// Makes what a library needs around it: its plugins and its media worker. The daemon's makes real processes.
protocol RuntimeFactory {
  /// Blocks: on a worker only.
  /// - Parameter secrets: The storage's secret options. Nil: those that are kept for the library.
  func storage(for library: LibraryRecord, secrets: [String: String]?) throws(StorageFailure) -> any LibraryStorage
  /// In which paths the folder of a library has to lie: those of its options, where its storage is
  /// no bundled one and has such; nil: it says so itself.
  func places(of library: LibraryRecord) -> [String]?
  func media(for library: LibraryRecord) -> any LibraryMedia
  /// The library's cloud mapping; its process starts with the first call.
  func cloudMapping(for library: LibraryRecord) -> any LibraryCloudMapping
  /// The library's album policies; a process of each starts with the first question.
  func albumPolicies(for library: LibraryRecord) -> any LibraryAlbumPolicies
  /// The cloud mapping of libraries that have not chosen one.
  var defaultCloudMapping: String { get }
  /// Where secret options are kept.
  var credentials: CredentialFiles { get }
}

/// A library's album policies as the service uses them. Every call blocks and belongs on a worker.
protocol LibraryAlbumPolicies: AnyObject, Sendable {
  /// Asks a policy.
  /// - Throws: it does not answer, so no album is visible (R136).
  func access(_ policy: String, _ question: AlbumQuestion) throws(StorageFailure) -> AlbumAccess
  /// Whether a policy can be chosen. One that is installed and does not answer can: it shows no
  /// albums until it does.
  /// - Parameter asks: Whether its process is started to see whether it takes its options.
  /// - Throws: `unsupported`: it is not installed, with those that are; its options make no sense,
  ///   with what is allowed.
  func check(_ policy: String, asks: Bool) throws(StorageFailure)
  /// Policies of these names are another plugin's now, or have come or gone: the next question
  /// finds out. Does not block.
  func renew(_ names: Set<String>)
  /// Ends the processes behind them.
  func stop()
}

/// What an album policy is told: never a photo, and of the app no more than its identifier.
struct AlbumQuestion: Sendable {
  var app: AppIdentifier
  var isLimited: Bool
  var albums: [AlbumRecord]
}
