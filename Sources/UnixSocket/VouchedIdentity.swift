/// The system's identification of a peer's program, in addition to its uid.
package struct VouchedIdentity: Sendable, Hashable {
  /// The source of an identification.
  package enum Kind: String, Sendable, Hashable {
    /// A unit of the system's service manager, in which only root can put a process.
    case systemUnit
    /// A unit of the user's own service manager.
    case userUnit
    /// A container of Docker, Podman, containerd, systemd-nspawn or LXC.
    case container
    /// A Flatpak application.
    case flatpak
  }

  package let kind: Kind
  /// The unit's full name, the container's identifier, or the application's identifier.
  package let name: String
  /// Whether any unconfined program of the same uid can claim this identity. True below the user's
  /// own service manager, where the user controls the control groups. Such an identity only
  /// separates sandboxed programs from others.
  package let isForgeableBySameUser: Bool

  package init(kind: Kind, name: String, isForgeableBySameUser: Bool) {
    self.kind = kind
    self.name = name
    self.isForgeableBySameUser = isForgeableBySameUser
  }
}
