import CLinux
import Glibc

/// Listening sockets from the service manager, by name.
///
/// Source: https://www.freedesktop.org/software/systemd/man/sd_listen_fds.html
package struct InheritedSockets: ~Copyable {
  private var names: [String] = []
  private var descriptors = OwnedDescriptors()

  /// The most sockets of a service; a larger number counts as an error.
  package static let limit = 64

  /// Takes ownership of the sockets in `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`. It removes
  /// these variables, so that no child uses them. Empty if they name no process, or another one.
  ///
  /// Call it once, before threads start and before descriptors are opened.
  ///
  /// - Throws: `unsuitableSocket` if the variables are malformed, or name descriptors that are not
  ///   open.
  package init() throws(UnixSocketError) {
    let values = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"].map { Self.environment($0) }
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    try self.init(pid: values[0], count: values[1], names: values[2], first: 3)
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    return String(cString: value)
  }

  init(pid: String?, count: String?, names list: String?, first: Int32) throws(UnixSocketError) {
    guard let pid, let count, pid == String(getpid()) else { return }
    guard let number = Int32(count), (0...Int32(Self.limit)).contains(number) else {
      throw .unsuitableSocket("LISTEN_FDS is not a number from 0 to \(Self.limit).")
    }
    let given = list.map { $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init) } ?? []
    for index in 0..<number {
      let result = clinux_set_close_on_exec(first + index, 1)
      guard result >= 0 else { throw .unsuitableSocket("LISTEN_FDS announces descriptors that are not open.") }
      descriptors.append(FileDescriptor(owning: first + index))
      names.append(given.indices.contains(Int(index)) ? given[Int(index)] : "unknown")
    }
  }

  /// The number of sockets not yet taken.
  package var count: Int { names.count }

  /// Takes the socket of that name (`FileDescriptorName=`) as a listener; nil if there is none.
  ///
  /// - Throws: `unsuitableSocket` if it does not listen.
  package mutating func takeListener(named name: String) throws(UnixSocketError) -> Listener? {
    guard let index = names.firstIndex(of: name) else { return nil }
    names.remove(at: index)
    var before = descriptors.takeFirst(index)
    let wanted = descriptors.takeFirst()
    before.append(contentsOf: descriptors.takeAll())
    descriptors = before
    guard let wanted else { return nil }
    return try Listener(adopting: wanted)
  }
}
