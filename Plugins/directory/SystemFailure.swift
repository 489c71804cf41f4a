import Glibc
import PluginKit

struct SystemFailure: Error, Equatable {
  var number: Int32

  /// Whether the file does not exist, or no longer exists.
  var isAbsence: Bool { number == ENOENT || number == ENOTDIR || number == ELOOP }
}

extension Folder {
  /// - Parameter whole: whether the served folder itself failed, which makes the library offline.
  static func failure(_ cause: Int32, _ what: String, whole: Bool = false) -> PluginError {
    let reason = String(cString: strerror(cause))
    return switch cause {
    case EACCES where whole, EPERM where whole:
      PluginError(.offline, "\(what) (\(reason)); let the broker's user in, for instance by an access list.")
    case EACCES, EPERM:
      PluginError(.readOnly, "\(what) (\(reason)); let the broker's user in, for instance by an access list.")
    case EROFS:
      PluginError(
        .readOnly,
        "\(what) (\(reason)); where the broker runs as a service, name the folder in ReadWritePaths= of its unit, else mount it writable."
      )
    case ENOSPC, EDQUOT: PluginError(.noSpace, "\(what): \(reason).")
    case ENOENT, ENOTDIR, EIO, ENODEV, ENXIO, ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN:
      PluginError(.offline, "\(what): \(reason).")
    default: PluginError(.failed, "\(what): \(reason).")
    }
  }
}
