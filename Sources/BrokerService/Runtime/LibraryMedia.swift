import Broker
import Delivery
import Indexer
import PhotoModel
import UnixSocket

/// Reads facts from photos and makes pictures: a worker process, or a stand-in if that is not
/// installed. Every call blocks and belongs on a worker.
protocol LibraryMedia: AnyObject, Sendable {
  /// Nil if it works, else the missing part.
  var unavailable: String? { get }
  /// Version of the worker's rules for reading facts; 0: facts come from file names alone.
  var factsVersion: UInt32 { get }
  /// Reads a file's facts.
  /// - Parameter original: A sealed copy, or a file that is open for reading only. It is read by
  ///   offset.
  func facts(_ original: borrowing FileDescriptor, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> ItemFacts
  /// The media type alone, by the file's first bytes; for a file that no decoder survives.
  func signature(_ original: borrowing FileDescriptor, name: String) throws(MediaFailure) -> ItemFacts
  /// Reads the facts of a remote file of which only some bytes are present.
  func facts(_ original: PartialCopy, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> FarFacts
  /// A JPEG, upright and without metadata.
  /// - Parameter transfer: Cancels.
  func thumbnail(_ original: borrowing FileDescriptor, pixels: Int, _ transfer: Transfer) throws(MediaFailure)
    -> SealedCopy
  /// The beginning of a video as a small WebM without metadata. Takes seconds.
  /// - Parameter transfer: Cancels.
  func preview(_ original: borrowing FileDescriptor, _ transfer: Transfer) throws(MediaFailure) -> SealedCopy
  func stop()
}

/// Facts from a part of a remote file, or a request for more bytes.
enum FarFacts: Sendable {
  case facts(ItemFacts)
  /// These bytes are needed, too.
  case needs(Range<Int>)
}

struct MediaFailure: Error, Sendable, Equatable {
  enum Code: Sendable {
    /// Not installed, or restarting.
    case unavailable
    /// The file cannot be decoded, is too large, or crashed the worker. This is remembered, and not
    /// tried again.
    case unusable
  }
  var code: Code
  var message: String
  /// The reason for which the file is skipped.
  var why: Reason.Code?
  /// Whether the only fault was a timeout, so that it is tried again later.
  var isLate = false

  /// Whether decoders crashed or hung on the file, so that only its signature can be asked for.
  var isOfDecoders: Bool { code == .unusable && why == nil }

  var reason: Reason { Reason(why ?? (code == .unavailable ? .mediaAway : .fileUnusable), message) }
}

/// Stand-in for a missing `photobroker-media`: types from file names, dates from the files, no
/// pictures.
final class NoMedia: LibraryMedia {
  let unavailable: String?
  let factsVersion: UInt32 = 0

  init(_ reason: String) { unavailable = reason }

  func facts(_ original: borrowing FileDescriptor, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> ItemFacts
  {
    try signature(original, name: name)
  }

  func signature(_: borrowing FileDescriptor, name: String) throws(MediaFailure) -> ItemFacts {
    ItemFacts(mediaType: ContentTypes.mediaType(byName: name), contentType: ContentTypes.byName(name))
  }

  func facts(_ original: PartialCopy, sidecar: SealedCopy?, name: String) throws(MediaFailure) -> FarFacts {
    .facts(try signature(original.descriptor, name: name))
  }

  func thumbnail(_ original: borrowing FileDescriptor, pixels: Int, _: Transfer) throws(MediaFailure) -> SealedCopy {
    throw MediaFailure(code: .unavailable, message: unavailable ?? "")
  }

  func preview(_ original: borrowing FileDescriptor, _: Transfer) throws(MediaFailure) -> SealedCopy {
    throw MediaFailure(code: .unavailable, message: unavailable ?? "")
  }

  func stop() {}
}
