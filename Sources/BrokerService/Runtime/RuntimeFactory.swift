import Broker
import PhotoModel

/// Makes what a library needs around it: its storage and its media worker. The daemon's makes real processes.
protocol RuntimeFactory {
  /// Blocks: on a worker only.
  func storage(for library: LibraryRecord) throws(StorageFailure) -> any LibraryStorage
  func media(for library: LibraryRecord) -> any LibraryMedia
  /// The library's cloud mapping; its process starts with the first call.
  func cloudMapping() -> any LibraryCloudMapping
  /// Asks the named album policy. Blocks: on a worker only. Nil: the policy does not answer, so no album is visible (R136).
  func albumAccess(policy: String, question: AlbumQuestion) -> AlbumAccess?
  /// Album policies of these names are another plugin's now, or have come or gone: the next question finds out. Does not block.
  func renewPolicies(_ names: Set<String>)
}

/// What an album policy is told: never a photo, and of the app no more than its identifier.
struct AlbumQuestion: Sendable {
  var app: AppIdentifier
  var isLimited: Bool
  var albums: [AlbumRecord]
}
