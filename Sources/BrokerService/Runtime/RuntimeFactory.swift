import Broker
import PhotoModel

protocol RuntimeFactory {
  /// Blocks, so it is called on a worker only.
  /// - Parameter secrets: The storage's secret options. Nil: the stored ones.
  func storage(for library: LibraryRecord, secrets: [String: String]?) throws(StorageFailure) -> any LibraryStorage
  /// Paths of which one must contain the library's folder: the path options of a storage that is
  /// not bundled. Nil: the storage names its folder itself.
  func places(of library: LibraryRecord) -> [String]?
  func media(for library: LibraryRecord) -> any LibraryMedia
  /// The library's cloud mapping; its process starts with the first call.
  func cloudMapping(for library: LibraryRecord) -> any LibraryCloudMapping
  /// The library's album policies; a process of each starts with the first question.
  func albumPolicies(for library: LibraryRecord) -> any LibraryAlbumPolicies
  /// A cleaner for one library's files; its process starts with the first call.
  func cleaner() -> any FileCleaner
  var defaultCloudMapping: String { get }
  var credentials: CredentialFiles { get }
}

/// A library's album policies. Every call blocks and belongs on a worker.
protocol LibraryAlbumPolicies: AnyObject, Sendable {
  /// Asks a policy.
  /// - Throws: If it does not answer; no album is visible then (R136).
  func access(_ policy: String, _ question: AlbumQuestion) throws(StorageFailure) -> AlbumAccess
  /// Checks that a policy can be chosen. One that is installed and does not answer can be: it shows
  /// no albums until it does.
  /// - Parameter asks: Whether its process is started to check its options.
  /// - Throws: `unsupported` if it is not installed, with the installed ones; or if its options are
  ///   invalid, with the allowed ones.
  func check(_ policy: String, asks: Bool) throws(StorageFailure)
  /// Restarts the policies of these names at the next question, because their plugin was replaced,
  /// installed or removed. Does not block.
  func renew(_ names: Set<String>)
  func stop()
}

/// A question to an album policy. It names no photo, and of the app only its identifier.
struct AlbumQuestion: Sendable {
  var app: AppIdentifier
  var isLimited: Bool
  var albums: [AlbumRecord]
}
