import Glibc

/// A folder for sockets and locks, removed with its contents.
final class SocketFolder {
  let path: String

  init() {
    var template = Array("/tmp/unix-socket-tests.XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      mkdtemp(buffer.baseAddress!).map { String(cString: $0) } ?? "/nonexistent"
    }
  }

  func file(_ name: String) -> String { path + "/" + name }

  deinit {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { unlink(file(name)) }
    }
    closedir(folder)
    rmdir(path)
  }
}

func openDescriptorCount() -> Int {
  (0..<1_024).count { fcntl(Int32($0), F_GETFD) >= 0 }
}
