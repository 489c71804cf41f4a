/// The reason why a file cannot be cleaned with certainty.
package enum Uncleanable: String, Error, Sendable, CaseIterable {
  /// The format is unknown, or it has no rules here.
  case unknownFormat = "unknown-format"
  /// The format is known, but this file uses a part of it that has no rules here.
  case unsupported
  /// The structure does not delimit the metadata.
  case damaged
  /// Metadata and picture share bytes, or two blocks do.
  case overlap
  /// A limit of blocks, edits or bytes is exceeded.
  case tooComplex = "too-complex"
  /// The file could not be read.
  case unreadable
  /// The worker gave no valid answer about this file.
  case workerFailed = "worker-failed"

  /// For people.
  package var explanation: String {
    switch self {
    case .unknownFormat: "its format cannot be cleaned"
    case .unsupported: "it uses a part of its format that cannot be cleaned"
    case .damaged: "it is too damaged to find all its metadata"
    case .overlap: "its metadata and its picture share bytes"
    case .tooComplex: "it has too many blocks of metadata"
    case .unreadable: "it could not be read"
    case .workerFailed: "the program that cleans files failed on it"
    }
  }
}
