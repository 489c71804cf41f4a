package import PhotoModel

/// A registered app (R138).
package struct AppRecord: Sendable, Equatable {
  package var identifier: AppIdentifier
  package var manifest: Manifest
  package var uid: UInt32
  package var systemIdentity: String?
  package var executable: String?
  package var isInterpreter: Bool
  package var introduced: Timestamp
  /// The accessor of the app's own token.
  package var accessor: Accessor
  /// The user who registered it before its first run and therefore knows it; nil: it introduced
  /// itself.
  package var registrar: UInt32?

  package init(
    identifier: AppIdentifier, manifest: Manifest, uid: UInt32, systemIdentity: String?, executable: String?,
    isInterpreter: Bool, introduced: Timestamp, accessor: Accessor, registrar: UInt32? = nil
  ) {
    self.identifier = identifier
    self.manifest = manifest
    self.uid = uid
    self.systemIdentity = systemIdentity
    self.executable = executable
    self.isInterpreter = isInterpreter
    self.introduced = introduced
    self.accessor = accessor
    self.registrar = registrar
  }

  /// The user who registered it for another user; nil: none.
  package var bringer: UInt32? { registrar == uid ? nil : registrar }
}
