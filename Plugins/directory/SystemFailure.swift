import CDirectoryStorage
import Glibc
import PluginKit

struct SystemFailure: Error, Equatable {
  var number: Int32

  /// Whether the file does not exist, or no longer exists.
  var isAbsence: Bool { number == ENOENT || number == ENOTDIR || number == ELOOP }
}

extension directory_entry_facts {
  var isFile: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
  var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
}

extension Folder {
  /// - Parameter whole: whether the served folder itself failed, which makes the library offline.
  static func failure(_ cause: Int32, _ what: String, whole: Bool = false) -> PluginError {
    let reason = String(cString: strerror(cause))
    return switch cause {
    case EACCES where whole, EPERM where whole:
      PluginError(.offline, "\(what) (\(reason)). Give the broker's user access, for instance with setfacl.")
    case EACCES, EPERM:
      PluginError(.readOnly, "\(what) (\(reason)). Give the broker's user access, for instance with setfacl.")
    case EROFS:
      PluginError(
        .readOnly,
        "\(what) (\(reason)). Add the folder to ReadWritePaths= of the broker's unit, or mount it writable."
      )
    case ENOSPC, EDQUOT: PluginError(.noSpace, "\(what): \(reason).")
    case ENOENT, ENOTDIR, EIO, ENODEV, ENXIO, ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN:
      PluginError(.offline, "\(what): \(reason).")
    default: PluginError(.failed, "\(what): \(reason).")
    }
  }
}
