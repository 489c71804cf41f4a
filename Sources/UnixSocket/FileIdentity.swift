import CLinux

/// The identity of a file or folder, whatever its path. A replacement at the same path has another
/// identity.
package struct FileIdentity: Sendable, Hashable, CustomStringConvertible {
  /// The identity of no file.
  package static let none = FileIdentity(clinux_file_identity())

  package let device: UInt64
  package let inode: UInt64
  private let birthSeconds: Int64
  private let birthNanoseconds: UInt32

  /// The identity of an open file, by its descriptor's number.
  /// - Returns: Nil if the kernel does not tell; `errno` has the cause.
  package init?(of number: Int32) {
    var facts = clinux_file_identity()
    guard clinux_file_identity(number, &facts) >= 0 else { return nil }
    self.init(facts)
  }

  private init(_ facts: clinux_file_identity) {
    (device, inode) = (facts.device, facts.inode)
    (birthSeconds, birthNanoseconds) = (facts.birth_seconds, facts.birth_nanoseconds)
  }

  /// The form for plugins: device major and minor number, inode, and birth time in nanoseconds
  /// since 1970 or 0.
  package var description: String {
    "\(device >> 32):\(device & 0xffff_ffff):\(inode):\(birthSeconds &* 1_000_000_000 &+ Int64(birthNanoseconds))"
  }
}
