import CLinux
import Glibc

/// The identity of a connection's peer: one immutable value, taken once before the connection is
/// served.
///
/// There is no peer "unknown": if the kernel cannot answer, the initializer throws, and the
/// connection closes.
package struct PeerIdentity: Sendable {
  /// The user at the time of connect, as the kernel recorded it; always verified.
  package let uid: UInt32
  /// The group at that time.
  package let gid: UInt32
  /// The process's number; 0 for a process in a process namespace that this one cannot see. Only
  /// for display: no decision depends on it.
  package let pid: Int32
  /// A key of the living process: its number, or a unique negative number if it is in a process
  /// namespace that this one cannot see.
  package let processKey: Int64
  /// The process itself, for the connection's life.
  package let process: PeerProcess
  /// The system's verified identity of the program; nil if there is none.
  package let vouched: VouchedIdentity?
  /// The path of the program, for display; nil if not readable, as for another user's process.
  package let executable: String?
  /// Whether `executable` is an interpreter, which does not identify the program. False if the path
  /// is not readable.
  package let isInterpreter: Bool

  /// Takes the identity of the peer of a connected socket.
  ///
  /// - Throws: `peerGone` if its process has ended; `peerUnidentified` if the kernel cannot
  ///   identify it; `descriptorsExhausted`.
  package init(ofSocket socket: borrowing FileDescriptor) throws(UnixSocketError) {
    try self.init(PeerCredentials(ofSocket: socket), ofSocket: socket)
  }

  /// Takes the identity from earlier credentials. They do not age: the kernel recorded them at
  /// connect.
  ///
  /// It opens at most three files of `/proc`, which the kernel itself serves.
  init(_ credentials: PeerCredentials, ofSocket socket: borrowing FileDescriptor) throws(UnixSocketError) {
    if UserNamespace.hidesUser(credentials.uid) { throw .peerUnidentified("its user is not mapped here") }
    try self.init(
      uid: credentials.uid, gid: credentials.gid, pid: credentials.pid,
      process: Self.process(ofSocket: socket, pid: credentials.pid))
  }

  /// Reads the facts in `/proc` between two checks that `process` lives.
  init(uid: UInt32, gid: UInt32, pid: Int32, process: PeerProcess) throws(UnixSocketError) {
    self.uid = uid
    self.gid = gid
    self.pid = pid
    self.process = process
    processKey = pid > 0 ? Int64(pid) : HiddenProcesses.key(of: process)
    guard !process.hasExited else { throw .peerGone() }
    var vouched: VouchedIdentity?
    var executable: String?
    if pid > 0 {
      let facts = ProcessFacts(pid: pid)
      if process.isBoundToSocket, let group = facts.controlGroup() {
        vouched = Self.flatpak(group, facts) ?? group.identity()
      }
      executable = facts.executable()
    }
    // Without this check the number could belong to another process by now.
    guard !process.hasExited else { throw .peerGone() }
    self.vouched = vouched
    self.executable = executable
    isInterpreter = executable.map(Interpreter.isRun(by:)) ?? false
  }

  /// The process's own name, if its executable is not readable: a bare name, only claimed. It opens
  /// one file of `/proc`.
  package func claimedName() -> String? {
    guard pid > 0, let name = ProcessFacts(pid: pid).name(), !process.hasExited else { return nil }
    return name
  }

  /// The sandbox's own file and the scope that the service manager made must name the same application.
  private static func flatpak(_ group: ControlGroupPath, _ facts: ProcessFacts) -> VouchedIdentity? {
    guard let scope = group.flatpakScope(), facts.flatpakApplication() == scope else { return nil }
    return VouchedIdentity(kind: .flatpak, name: scope, isForgeableBySameUser: true)
  }

  private static func process(ofSocket socket: borrowing FileDescriptor, pid: Int32) throws(UnixSocketError)
    -> PeerProcess
  {
    let bound = clinux_peer_pidfd(socket.number)
    if bound >= 0 { return PeerProcess(FileDescriptor(owning: bound), isBoundToSocket: true) }
    switch -bound {
    case ENOPROTOOPT: break
    case EINVAL, ESRCH, ENODATA: throw .peerGone(-bound)
    case EMFILE, ENFILE: throw .system("Identifying a peer", -bound)
    default: throw .peerUnidentified("the kernel names no process", -bound)
    }
    // Before kernel 6.5 there is only the number, which is used just to detect the end of the
    // process.
    guard pid > 0 else { throw .peerUnidentified("its process is not visible here") }
    let opened = clinux_pidfd_open(pid)
    if opened >= 0 { return PeerProcess(FileDescriptor(owning: opened), isBoundToSocket: false) }
    if opened == -ESRCH { throw .peerGone(ESRCH) }
    throw opened == -EMFILE || opened == -ENFILE
      ? .system("Identifying a peer", -opened) : .peerUnidentified("the kernel names no process", -opened)
  }
}
