import Broker
import Delivery
import EventLoop
import UnixSocket

/// Writes and erases libraries' secrets and copies on disk, one after the other.
final class LibrarySecrets {
  private let credentials: CredentialFiles
  /// The folder of all libraries' copies.
  private let folder: String
  private let loop: EventLoop
  private let worker = try? Worker(name: "credentials")

  init(_ credentials: CredentialFiles, copies folder: String, on loop: EventLoop) {
    self.credentials = credentials
    self.folder = folder
    self.loop = loop
  }

  func keep(
    _ secrets: [String: String], of library: LibraryName, _ completion: @escaping (StorageFailure?) -> Void
  ) {
    let files = credentials
    do throws(EventLoopError) {
      guard let worker else { throw .notRunning("The credentials' worker") }
      try worker.run(
        { () -> StorageFailure? in
          do throws(StorageFailure) { try files.write(secrets, of: library) } catch { return error }
          return nil
        }, on: loop
      ) { completion($0) }
    } catch {
      completion(StorageFailure(.failed, "\(error)"))
    }
  }

  /// Erases a library's secrets and copies. If this fails, the next start erases them.
  func forget(_ library: LibraryName) {
    let files = credentials
    let copies = copies(of: library)
    try? worker?.run {
      files.remove(library)
      DiskCopies.erase(copies)
    }
  }

  func copies(of library: LibraryName) -> String { folder + "/\(library)" }

  func eraseOrphans(keeping libraries: Set<String>) {
    let files = credentials
    let folder = folder
    try? worker?.run {
      files.keepOnly(libraries)
      for name in FolderListing.names(in: folder) ?? [] where !libraries.contains(name) {
        DiskCopies.erase("\(folder)/\(name)")
      }
    }
  }
}
