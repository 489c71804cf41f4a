import PhotoModel

/// The registered apps. It also identifies the app of a process that lost its token.
final class AppRegistry {
  private(set) var apps: [AppIdentifier: App] = [:]
  /// By user, in the order of introduction.
  private var byUser: [UInt32: [AppIdentifier]] = [:]
  private var byRegistrar: [UInt32: [AppIdentifier]] = [:]

  init(_ records: [AppRecord]) {
    for record in records.sorted(by: { ($0.introduced, $0.identifier) < ($1.introduced, $1.identifier) }) {
      insert(App(record: record))
    }
  }

  subscript(_ identifier: AppIdentifier) -> App? { apps[identifier] }

  func insert(_ app: App) {
    guard apps.updateValue(app, forKey: app.identifier) == nil else { return }
    byUser[app.record.uid, default: []].append(app.identifier)
    if let registrar = app.record.bringer { byRegistrar[registrar, default: []].append(app.identifier) }
  }

  func remove(_ app: App) {
    app.isRemoved = true
    apps[app.identifier] = nil
    byUser[app.record.uid]?.removeAll { $0 == app.identifier }
    if let registrar = app.record.bringer { byRegistrar[registrar]?.removeAll { $0 == app.identifier } }
  }

  func apps(of uid: UInt32) -> [App] { (byUser[uid] ?? []).compactMap { apps[$0] } }

  func apps(broughtBy registrar: UInt32) -> [App] { (byRegistrar[registrar] ?? []).compactMap { apps[$0] } }

  /// Finds the app of a process without a token by user, system identity (unit, container or
  /// Flatpak) and claimed name. Nil if the system vouches for no identity. The executable never
  /// decides, because an interpreter runs many apps (R123, R138).
  func restorable(_ manifest: Manifest, _ identity: VerifiedIdentity) -> App? {
    guard let system = identity.systemIdentity else { return nil }
    return apps(of: identity.uid).first {
      $0.record.systemIdentity == system && $0.record.manifest.identifier == manifest.identifier
    }
  }
}
