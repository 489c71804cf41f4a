/// The peer's identity as the kernel vouches for it, read once at accept.
package struct VerifiedIdentity: Sendable, Equatable {
  package var uid: UInt32
  /// A stable ID of the process while it lives; negative if its PID is not visible.
  package var processID: Int64
  /// Tells the process from others with this PID since the boot; nil if the kernel does not provide
  /// it.
  package var processIdentity: UInt64?
  /// `unit:NAME`, `container:ID` or `flatpak:ID`. Nil: none of these.
  package var systemIdentity: String?
  /// Shown to people; never used for decisions.
  package var executable: String?
  /// Whether the executable is an interpreter, so that it does not identify the program.
  package var isInterpreter: Bool

  package init(
    uid: UInt32, processID: Int64, processIdentity: UInt64? = nil, systemIdentity: String?, executable: String?,
    isInterpreter: Bool
  ) {
    self.uid = uid
    self.processID = processID
    self.processIdentity = processIdentity
    self.systemIdentity = systemIdentity
    self.executable = executable
    self.isInterpreter = isInterpreter
  }
}
