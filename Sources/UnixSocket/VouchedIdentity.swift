/// What the system says about which program a peer belongs to, beyond its uid.
package struct VouchedIdentity: Sendable, Hashable {
  /// Who named the program.
  package enum Kind: String, Sendable, Hashable {
    /// A unit of the system's service manager: only root can put a process there.
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
  /// Whether any unconfined program of the same uid can take on this identity: true below a user's own service manager,
  /// where that user arranges the control groups. Such an identity keeps sandboxed programs apart, nothing else.
  package let isForgeableBySameUser: Bool

  package init(kind: Kind, name: String, isForgeableBySameUser: Bool) {
    self.kind = kind
    self.name = name
    self.isForgeableBySameUser = isForgeableBySameUser
  }
}
