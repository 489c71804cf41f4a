import Foundation
import UnixSocket

enum DescriptorBytes {
  /// Reads `size` bytes from the beginning, without moving the descriptor's position.
  ///
  /// - Throws: `bytesUnavailable` if the file is shorter than `size` or cannot be read.
  static func read(_ descriptor: Int32, size: Int64) throws -> Data {
    var facts = stat()
    // Checked first, because a wrong size could allocate any amount of memory.
    guard fstat(descriptor, &facts) == 0, facts.st_size >= size, let count = Int(exactly: size), count >= 0 else {
      throw PhotoLibraryError(.bytesUnavailable, "The broker handed over fewer bytes than it said.")
    }
    var data = Data(count: count)
    var done = 0
    while done < count {
      let taken = data.withUnsafeMutableBytes { buffer in
        pread(descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(done))
      }
      if taken > 0 {
        done += taken
      } else if taken == 0 || errno != EINTR {
        throw PhotoLibraryError(.bytesUnavailable, "The bytes that were handed over cannot be read.")
      }
    }
    return data
  }
}

extension OwnedDescriptors {
  /// The descriptor at an index that a reply names; nil if none came at that index.
  borrowing func number(at index: Int64?) -> Int32? {
    guard let index, let position = Int(exactly: index) else { return nil }
    let all = numbers
    return all.indices.contains(position) ? all[position] : nil
  }
}
