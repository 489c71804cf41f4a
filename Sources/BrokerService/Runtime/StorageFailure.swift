import Broker
import Macaroons
import PluginKit

struct StorageFailure: Error, Sendable, Equatable {
  enum Code: Sendable { case offline, notFound, readOnly, noSpace, unsupported, failed }
  var code: Code
  /// Prefixed with the plugin's name.
  var message: String
  /// A more exact reason than the code, with its values.
  var why: Reason.Code?
  var values: [String: String] = [:]

  init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  init(_ code: Code, _ why: Reason.Code, _ message: String, _ values: [String: String] = [:]) {
    (self.code, self.why, self.message, self.values) = (code, why, message, values)
  }

  var reason: Reason { Reason(why ?? code.reason, message, values) }
}

extension StorageFailure.Code {
  var reason: Reason.Code {
    switch self {
    case .offline: .storageOffline
    case .notFound: .storageNotFound
    case .readOnly: .storageReadOnly
    case .noSpace: .storageFull
    case .unsupported: .storageUnsupported
    case .failed: .storageFailed
    }
  }
}

extension StorageFacts {
  /// The changes of apps that it takes none of.
  var refused: Verbs { (takesAdditions ? Verbs() : .add).union(takesDeletions ? [] : .delete) }
}
