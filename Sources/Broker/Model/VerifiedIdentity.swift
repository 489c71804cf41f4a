/// Who is at the other end of a connection, as far as the kernel vouches for it; taken once, at accept.
package struct VerifiedIdentity: Sendable, Equatable {
  package var uid: UInt32
  /// Stands for the process as long as it lives; negative where its number is not visible.
  package var processID: Int64
  /// Tells the process from every other one that had its number since the machine was started; nil
  /// where the kernel says nothing.
  package var processIdentity: UInt64?
  /// `unit:NAME`, `container:ID` or `flatpak:ID`. Nil: none of these.
  package var systemIdentity: String?
  /// Shown to people, never decides.
  package var executable: String?
  /// The executable runs scripts, so it says nothing about which.
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
