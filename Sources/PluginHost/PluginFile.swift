import Glibc
import PluginKit

/// What a file must be to be installed as a plugin, before it is run; whoever tries one out is told of the same.
package enum PluginFile {
  /// No plugin's file is longer.
  package static let limitBytes = 256 << 20

  /// - Parameter file: A descriptor; it stays the caller's.
  /// - Throws: `unsupported`, saying what is wrong and what to do.
  package static func check(_ file: Int32, _ form: PluginForm) throws(PluginFailure) {
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw refusal("This is no file. Name the plugin itself, such as .build/debug/libNAME.so or NAME.plugin.")
    }
    var first: UInt8 = 0
    guard pread(file, &first, 1, 0) >= 0 || errno != EBADF else {
      throw refusal("The plugin's file was not opened for reading.")
    }
    // One that others can write may be another one than the person meant.
    guard facts.st_mode & S_IWOTH == 0, facts.st_mode & S_IWGRP == 0 || facts.st_gid == 0 else {
      throw refusal("The plugin's file can be written by others: chmod go-w it, look at it, and try again.")
    }
    guard facts.st_size > 0, Int(facts.st_size) <= limitBytes else {
      throw refusal("A plugin has 1 byte to \(limitBytes >> 20) MiB; this file has \(facts.st_size) bytes.")
    }
    if form == .program { try ProgramFile.check(file) }
  }

  /// The same of a file at a path, and whether a program may be executed there.
  package static func check(at path: String, _ form: PluginForm) throws(PluginFailure) {
    // Nonblocking, since a FIFO that nobody writes to would keep us for ever.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw refusal("It cannot be opened (\(String(cString: strerror(errno)))).") }
    defer { close(file) }
    try check(file, form)
    guard form == .object || access(path, X_OK) == 0 else {
      throw refusal("It may not be executed: chmod +x makes it so.")
    }
  }

  private static func refusal(_ words: String) -> PluginFailure { PluginFailure(.unsupported, words) }
}
