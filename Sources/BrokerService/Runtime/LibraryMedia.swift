import Broker
import Delivery
import Indexer
import PhotoModel
import UnixSocket

/// What looks into photos: a worker process, or nothing where it is not installed. Every call
/// blocks and belongs on a worker.
protocol LibraryMedia: AnyObject, Sendable {
  /// Nil: works; else what is missing.
  var unavailable: String? { get }
  /// By which version of the worker's rules files are looked into; 0: what is told is what their names say.
  var factsVersion: UInt32 { get }
  /// What the files say.
  /// - Parameter original: A sealed copy, or a file that is open for reading only: it is read by offset.
  func facts(_ original: borrowing FileDescriptor, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> ItemFacts
  /// The same of a far file of which only some bytes are there.
  func facts(_ original: PartialCopy, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> FarFacts
  /// A JPEG, upright and without metadata.
  /// - Parameter transfer: Ends it where nobody wants the picture any more.
  func thumbnail(_ original: borrowing FileDescriptor, pixels: Int, _ transfer: Transfer) throws(MediaFailure)
    -> SealedCopy
  /// The beginning of a video as a small WebM without metadata. Takes seconds.
  /// - Parameter transfer: As for a thumbnail.
  func preview(_ original: borrowing FileDescriptor, _ transfer: Transfer) throws(MediaFailure) -> SealedCopy
  func stop()
}

/// What some bytes of a far file say.
enum FarFacts: Sendable {
  case facts(ItemFacts)
  /// Ask again with these bytes too.
  case needs(Range<Int>)
}

/// Why the worker did not do it.
struct MediaFailure: Error, Sendable, Equatable {
  enum Code: Sendable {
    /// Not installed, or restarting.
    case unavailable
    /// The file cannot be decoded, is too large, or ended the worker: remembered, not tried again.
    case unusable
  }
  var code: Code
  var message: String
  /// Why a file is left out for it.
  var why: Reason.Code?
  /// Whether an unusable file is that only since no answer came in time: it is tried again later.
  var isLate = false

  var reason: Reason { Reason(why ?? (code == .unavailable ? .mediaAway : .fileUnusable), message) }
}

/// Stands in where `photobroker-media` is not installed: names and types from file names, dates
/// from the files, no pictures.
final class NoMedia: LibraryMedia {
  let unavailable: String?
  let factsVersion: UInt32 = 0

  init(_ reason: String) { unavailable = reason }

  func facts(_ original: borrowing FileDescriptor, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> ItemFacts
  {
    ItemFacts(mediaType: ContentTypes.mediaType(byName: name), contentType: ContentTypes.byName(name))
  }

  func facts(_ original: PartialCopy, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> FarFacts {
    .facts(ItemFacts(mediaType: ContentTypes.mediaType(byName: name), contentType: ContentTypes.byName(name)))
  }

  func thumbnail(_ original: borrowing FileDescriptor, pixels: Int, _: Transfer) throws(MediaFailure) -> SealedCopy {
    throw MediaFailure(code: .unavailable, message: unavailable ?? "")
  }

  func preview(_ original: borrowing FileDescriptor, _: Transfer) throws(MediaFailure) -> SealedCopy {
    throw MediaFailure(code: .unavailable, message: unavailable ?? "")
  }

  func stop() {}
}
