import CLinux
import Glibc

/// Who is at the other end of a connection: one value, taken once before the connection is served,
/// never changed.
///
/// It exists or it does not: whatever the kernel cannot say throws, and the connection closes.
/// There is no peer "unknown".
package struct PeerIdentity: Sendable {
  /// The user at the time of connect, as the kernel recorded it. Always verified.
  package let uid: UInt32
  /// The group at that time.
  package let gid: UInt32
  /// The process's number; 0 when it lives in a process namespace that this one cannot see. For display: nothing is
  /// decided from it.
  package let pid: Int32
  /// Stands for the process in tables, as long as it lives: its number, or a negative one that no
  /// other living process has where it lives in a process namespace that this one cannot see.
  package let processKey: Int64
  /// The process itself, for the connection's life.
  package let process: PeerProcess
  /// What the system says about the program; nil where it says nothing, or cannot prove it.
  package let vouched: VouchedIdentity?
  /// Where the program's file is, for display; nil where it is not readable, as it is for another user's process.
  package let executable: String?
  /// Whether `executable` runs other programs' text, so that it does not tell which program this is. False where the
  /// executable is not readable.
  package let isInterpreter: Bool

  /// Takes the identity of whoever connected the socket.
  ///
  /// - Throws: `peerGone` when that process has already ended, `peerUnidentified` when the kernel cannot say who it is,
  ///   `descriptorsExhausted`.
  package init(ofSocket socket: borrowing FileDescriptor) throws(UnixSocketError) {
    try self.init(PeerCredentials(ofSocket: socket), ofSocket: socket)
  }

  /// The same, where the socket's credentials were looked at before. However long ago that was: the
  /// kernel recorded all of it at connect.
  ///
  /// Opens at most three files of `/proc`, all answered by the kernel itself.
  init(_ credentials: PeerCredentials, ofSocket socket: borrowing FileDescriptor) throws(UnixSocketError) {
    if UserNamespace.hidesUser(credentials.uid) { throw .peerUnidentified("its user is not mapped here") }
    try self.init(
      uid: credentials.uid, gid: credentials.gid, pid: credentials.pid,
      process: Self.process(ofSocket: socket, pid: credentials.pid))
  }

  /// Reads what `/proc` says about `process` between two proofs that it lives.
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
    // The number meant this process all along only if the process is still there.
    guard !process.hasExited else { throw .peerGone() }
    self.vouched = vouched
    self.executable = executable
    isInterpreter = executable.map(Interpreter.isRun(by:)) ?? false
  }

  /// What the process calls itself now, where its executable is not readable: a bare name, never a
  /// path, and only claimed. Opens one file of `/proc`.
  package func claimedName() -> String? {
    guard pid > 0, let name = ProcessFacts(pid: pid).name(), !process.hasExited else { return nil }
    return name
  }

  /// Whether the process that connected has ended. The connection belongs to it: close, whoever holds the socket now.
  package var processHasExited: Bool { process.hasExited }

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
    // Before kernel 6.5 the number is all there is. It serves to notice the end of the process, and to nothing else.
    guard pid > 0 else { throw .peerUnidentified("its process is not visible here") }
    let opened = clinux_pidfd_open(pid)
    if opened >= 0 { return PeerProcess(FileDescriptor(owning: opened), isBoundToSocket: false) }
    if opened == -ESRCH { throw .peerGone(ESRCH) }
    throw opened == -EMFILE || opened == -ENFILE
      ? .system("Identifying a peer", -opened) : .peerUnidentified("the kernel names no process", -opened)
  }
}
