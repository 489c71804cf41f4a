import CLinux
import Glibc
package import UnixSocket

/// The kernel's facts about an open file, read from the descriptor so that they are about no other
/// file.
package struct FileFacts: Sendable, Equatable {
  /// Device and inode; together with `birth` an identity that survives renames. They never leave
  /// the broker.
  package let deviceMajor: UInt32
  package let deviceMinor: UInt32
  package let inode: UInt64
  /// Birth time in nanoseconds since 1970; nil if the file system keeps none.
  package let birthNanoseconds: Int64?
  /// Modification time in nanoseconds since 1970.
  package let modifiedNanoseconds: Int64
  /// The same in whole seconds, and nanoseconds of the current one.
  package let modifiedSeconds: Int64
  package let modifiedFraction: UInt32
  /// The identifier of the file's mount; nil before Linux 5.8.
  package let mount: UInt64?
  package let byteCount: Int64
  package let uid: UInt32
  package let links: UInt32
  /// Type and permission bits.
  package let mode: UInt32

  /// - Throws: `system`.
  package init(of descriptor: borrowing FileDescriptor) throws(DeliveryError) {
    try self.init(number: descriptor.number)
  }

  init(number: Int32) throws(DeliveryError) {
    var facts = clinux_file_facts()
    _ = try DeliveryError.check(clinux_file_facts_of(number, &facts), "Reading a file's attributes")
    self.init(facts)
  }

  init(_ facts: clinux_file_facts) {
    deviceMajor = facts.device_major
    deviceMinor = facts.device_minor
    inode = facts.inode
    birthNanoseconds =
      facts.has_birth != 0 ? Self.nanoseconds(facts.birth_seconds, facts.birth_nanoseconds) : nil
    modifiedNanoseconds = Self.nanoseconds(facts.modified_seconds, facts.modified_nanoseconds)
    (modifiedSeconds, modifiedFraction) = (facts.modified_seconds, facts.modified_nanoseconds)
    mount = facts.has_mount != 0 ? facts.mount : nil
    byteCount = Int64(clamping: facts.size)
    uid = facts.uid
    links = facts.links
    mode = facts.mode
  }

  /// Wraps instead of trapping: a file system may report any time, and a wrapped one still differs
  /// from others.
  private static func nanoseconds(_ seconds: Int64, _ rest: UInt32) -> Int64 {
    (seconds &* 1_000_000_000) &+ Int64(rest)
  }

  var isPipe: Bool { mode & S_IFMT == S_IFIFO }

  /// Whether the content may have changed between two moments. Links and permissions do not count.
  func contentDiffers(from other: Self) -> Bool {
    byteCount != other.byteCount || modifiedNanoseconds != other.modifiedNanoseconds
  }
}
