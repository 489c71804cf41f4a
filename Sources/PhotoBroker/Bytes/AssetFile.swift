import CLinux
import Foundation
import Synchronization
import UnixSocket

final class AssetFile: Sendable {
  private let descriptor: FileDescriptor
  /// Whether this is a pipe whose bytes were read.
  private let isDrained = Atomic(false)

  /// - Throws: `bytesUnavailable`, also for a file that is not regular.
  init(opening url: URL) throws {
    guard url.isFileURL else {
      throw PhotoLibraryError(.bytesUnavailable, "The URL names no file; save what it names, and add that.")
    }
    // Without O_NONBLOCK, opening a named pipe blocks until somebody writes to it.
    let opened = clinux_open(url.path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0)
    guard opened >= 0 else {
      throw PhotoLibraryError(
        .bytesUnavailable, "The file cannot be opened; see that it is there and that this app may read it.",
        cause: POSIXErrorCode(rawValue: -opened).map { POSIXError($0) })
    }
    descriptor = FileDescriptor(owning: opened)
    var facts = stat()
    guard fstat(opened, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw PhotoLibraryError(
        .bytesUnavailable, "This is no regular file; a pipe is opened by the app and added as a file handle.")
    }
  }

  /// Duplicates the handle's descriptor; the handle may be closed afterwards.
  ///
  /// - Throws: `bytesUnavailable`.
  init(duplicating handle: FileHandle) throws {
    let own = clinux_duplicate(handle.fileDescriptor, 3)
    guard own >= 0 else {
      throw PhotoLibraryError(
        .bytesUnavailable, "The file handle is closed, or too many files are open.",
        cause: POSIXErrorCode(rawValue: -own).map { POSIXError($0) })
    }
    descriptor = FileDescriptor(owning: own)
  }

  /// - Throws: `bytesUnavailable`.
  func descriptors() throws -> OwnedDescriptors {
    do throws(UnixSocketError) { return OwnedDescriptors(try descriptor.duplicate()) } catch {
      throw PhotoLibraryError(
        .bytesUnavailable, "The file cannot be handed over; close some files and try again.", cause: error)
    }
  }

  /// Reads a file from its beginning, or a pipe to its end, in pieces.
  ///
  /// - Throws: `bytesUnavailable`, and the errors of `take`.
  func forEachPiece(of bytes: Int, _ take: (Data) throws -> Void) throws {
    guard !isDrained.load(ordering: .relaxed) else {
      throw PhotoLibraryError(.bytesUnavailable, "The pipe has been read already; open another one, and add that.")
    }
    var piece = [UInt8](repeating: 0, count: bytes)
    var done = 0
    while true {
      let taken = read(into: &piece, at: done)
      if taken == 0 { return }
      if taken > 0 {
        try take(Data(piece.prefix(taken)))
        done += taken
      } else if taken != -Int(EINTR) {
        throw PhotoLibraryError(
          .bytesUnavailable, "The file cannot be read, or brings nothing.",
          cause: POSIXErrorCode(rawValue: Int32(-taken)).map { POSIXError($0) })
      }
    }
  }

  /// Timeout for a silent pipe in milliseconds; the broker has the same.
  private static let idleMilliseconds: Int32 = 4_000

  private func read(into piece: inout [UInt8], at offset: Int) -> Int {
    piece.withUnsafeMutableBytes { buffer in
      var taken = pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
      if taken < 0, errno == ESPIPE {
        var awaited = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        guard poll(&awaited, 1, Self.idleMilliseconds) != 0 else { return -Int(ETIMEDOUT) }
        taken = Foundation.read(descriptor.number, buffer.baseAddress, buffer.count)
        isDrained.store(true, ordering: .relaxed)
      }
      return taken < 0 ? -Int(errno) : taken
    }
  }
}
