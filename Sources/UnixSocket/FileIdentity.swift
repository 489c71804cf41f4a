import CLinux

/// Which file or folder something is, whatever leads to it: what is put in its place later is another one.
package struct FileIdentity: Sendable, Hashable, CustomStringConvertible {
  /// Of nothing that there is.
  package static let none = FileIdentity(clinux_file_identity())

  package let device: UInt64
  package let inode: UInt64
  private let birthSeconds: Int64
  private let birthNanoseconds: UInt32

  /// Of what is open, by the descriptor's number.
  /// - Returns: Nil where the kernel does not say; `errno` has why.
  package init?(of number: Int32) {
    var facts = clinux_file_identity()
    guard clinux_file_identity(number, &facts) >= 0 else { return nil }
    self.init(facts)
  }

  private init(_ facts: clinux_file_identity) {
    (device, inode) = (facts.device, facts.inode)
    (birthSeconds, birthNanoseconds) = (facts.birth_seconds, facts.birth_nanoseconds)
  }

  /// As plugins are told it: the device's two numbers, the inode's, and when it was made in
  /// nanoseconds since 1970 or 0.
  package var description: String {
    "\(device >> 32):\(device & 0xffff_ffff):\(inode):\(birthSeconds &* 1_000_000_000 &+ Int64(birthNanoseconds))"
  }
}
