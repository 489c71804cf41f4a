import Glibc
import PluginKit

/// Checks a plugin's file before it is installed or tried.
package enum PluginFile {
  package static let limitBytes = 256 << 20

  /// - Parameter file: a descriptor. It stays the caller's.
  /// - Throws: `unsupported`, with the problem and a fix.
  package static func check(_ file: Int32, _ form: PluginForm) throws(PluginFailure) {
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw refusal("This is no file. Name the plugin itself, such as .build/debug/libNAME.so or NAME.plugin.")
    }
    var first: UInt8 = 0
    guard pread(file, &first, 1, 0) >= 0 || errno != EBADF else {
      throw refusal("The plugin's file was not opened for reading.")
    }
    // A file that others can write may have changed since the person looked at it.
    guard facts.st_mode & S_IWOTH == 0, facts.st_mode & S_IWGRP == 0 || facts.st_gid == 0 else {
      throw refusal("Other users can write the plugin's file. Check it, run chmod go-w on it, and try again.")
    }
    guard facts.st_size > 0, Int(facts.st_size) <= limitBytes else {
      throw refusal("A plugin has 1 byte to \(limitBytes >> 20) MiB; this file has \(facts.st_size) bytes.")
    }
    if form == .program { try ProgramFile.check(file) }
  }

  /// Checks the file at a path, and whether a program is executable there.
  package static func check(at path: String, _ form: PluginForm) throws(PluginFailure) {
    // Without O_NONBLOCK, opening a FIFO without a writer blocks for ever.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw refusal("It cannot be opened (\(String(cString: strerror(errno)))).") }
    defer { close(file) }
    try check(file, form)
    guard form == .object || access(path, X_OK) == 0 else {
      throw refusal("It is not executable. Run chmod +x on it.")
    }
  }

  private static func refusal(_ words: String) -> PluginFailure { PluginFailure(.unsupported, words) }
}
