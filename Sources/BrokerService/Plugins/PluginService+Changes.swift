import Broker
import BrokerInterface
import EventLoop
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit
import UnixSocket

/// What changes plugins, and what becomes of the libraries that use them.
extension PluginService {
  /// How a plugin is to be installed.
  struct Installation {
    var user: UInt32
    var upgrades: Bool
    var isDevelopment: Bool
    /// Nothing is installed: the caller only wants to know.
    var isPreview: Bool
  }

  func install(
    _ file: SharedDescriptors, _ name: String, _ form: PluginForm, _ how: Installation, for call: IncomingCall
  ) throws(CallFailure) {
    let catalogue = catalogue
    let replaces = how.upgrades || how.isPreview
    try work {
      Result { () throws(PluginFailure) in
        try catalogue.candidate(file.contents.numbers.first ?? -1, named: name, form, replaces: replaces)
      }
    } then: { [self] result in
      switch result {
      case .failure(let failure): call.fail(BrokerError(failure))
      case .success(let candidate): call.attempt { () throws(CallFailure) in try install(candidate, how, for: call) }
      }
    }
  }

  private func install(_ candidate: PluginCatalogue.Candidate, _ how: Installation, for call: IncomingCall) throws(CallFailure) {
    let former = candidate.served
    // What libraries use, they must find in the new version as well.
    let lost = former.filter { !candidate.description.roles.contains($0) }
    if let role = lost.first(where: { !users(of: [$0]).isEmpty }) {
      let names = users(of: [role]).map(\.description).joined(separator: ", ")
      throw .broker(BrokerError(.refused, "This version does not offer the \(role), which is in use: \(names)."))
    }
    if how.isPreview || candidate.isInstalled {
      return call.reply(
        Admin.InstallPlugin.Reply(
          plugin: info(candidate.shown), change: how.isPreview ? "previewed" : "unchanged", libraries: []))
    }
    let (catalogue, user, isDevelopment) = (catalogue, how.user, how.isDevelopment)
    let now = core.environment.now.microseconds
    let (uses, credentials) = (uses(of: former), core.factory.credentials)
    try work(takingAway: lost) {
      Result { () throws(PluginFailure) in
        for use in uses { try use.check(candidate, catalogue, credentials) }
        return try catalogue.install(candidate, by: user, at: now, development: isDevelopment)
      }
    } then: { [self] result in
      switch result {
      case .failure(let failure): call.fail(BrokerError(failure))
      case .success(let plugin):
        core.log.notice(
          "a plugin was installed",
          [
            "plugin": plugin.name, "sha256": candidate.digest, "user": "\(user)",
            "replaced": candidate.former?.digest ?? "nothing", "network": catalogue.placed(plugin).hasNetwork ? "with" : "without",
          ])
        let moved = candidate.staysDisabled ? [] : renew(Set(former + candidate.description.roles))
        if let former = candidate.former { discard(former) }
        call.reply(
          Admin.InstallPlugin.Reply(
            plugin: info(plugin), change: candidate.former == nil ? "installed" : "upgraded", libraries: moved.map(\.description)))
      }
    }
  }

  /// What a library has one of a plugin's offers set up with.
  private struct Use: Sendable {
    var library: LibraryName
    var role: PluginRole
    var options: [String: String]

    /// - Throws: `unsupported` where another version does not take these settings, or does not start with them, naming the library.
    func check(
      _ candidate: PluginCatalogue.Candidate, _ catalogue: PluginCatalogue, _ credentials: CredentialFiles
    ) throws(PluginFailure) {
      guard let entry = candidate.description.entries.first(where: { $0.kind == role.kind && $0.name == role.name }) else { return }
      let secrets = role.kind == .storage ? (try? credentials.read(library)) ?? [:] : [:]
      let settings = PluginSettings(options: options, secrets: secrets)
      do throws(PluginFailure) { _ = try settings.checked(for: entry.options) } catch {
        throw PluginFailure(
          .unsupported, "This version's \(role) does not take what library \(library) is set up with: \(error.message) Set that up first.")
      }
      do throws(PluginFailure) { try catalogue.tryStart(candidate, role, settings) } catch {
        throw PluginFailure(
          .unsupported, "This version's \(role) does not start with what library \(library) is set up with: \(error.message)")
      }
    }
  }

  private func uses(of roles: [PluginRole]) -> [Use] {
    core.broker.libraries.values.flatMap { library in
      roles.compactMap { role in
        let record = library.record
        let policyOptions = record.plugins.policyOptions[role.name]
        return switch role.kind {
        case .storage where role.name == record.backend: Use(library: record.name, role: role, options: record.options)
        case .albumPolicy where policyOptions != nil || libraries(using: [role]).contains(record.name):
          Use(library: record.name, role: role, options: policyOptions ?? [:])
        case .cloudMapping where role == mapping(of: library):
          Use(library: record.name, role: role, options: record.plugins.mappingOptions)
        case .storage, .albumPolicy, .cloudMapping: nil
        }
      }
    }
  }

  /// A replaced version's file goes once no start from it can be under way any more.
  private func discard(_ former: InstalledPlugin) {
    let catalogue = catalogue
    core.loop.schedule(after: .seconds(10)) { [weak self] in
      try? self?.work {
        catalogue.discard(former)
      } then: { _ in
      }
    }
  }

  func setEnabled(_ name: String, _ enabled: Bool, for call: IncomingCall) throws(CallFailure) {
    let catalogue = catalogue
    try work {
      Result { () throws(PluginFailure) in try catalogue.setEnabled(name, enabled) }
    } then: { [self] result in
      switch result {
      case .failure(let failure): call.fail(BrokerError(failure))
      case .success(let plugin):
        core.log.notice(enabled ? "a plugin was enabled" : "a plugin was disabled", ["plugin": name])
        let roles = Set(plugin.served)
        let concerned = enabled ? renew(roles) : withdraw(roles, name)
        call.reply(Admin.SetPluginEnabled.Reply(plugin: info(plugin), libraries: concerned.map(\.description)))
      }
    }
  }

  func remove(_ name: String, for call: IncomingCall) throws(CallFailure) {
    let catalogue = catalogue
    try work {
      Result { () throws(PluginFailure) -> CataloguedPlugin in try catalogue.plugin(name) }
    } then: { [self] result in
      call.attempt { () throws(CallFailure) in
        let plugin: CataloguedPlugin
        do throws(PluginFailure) { plugin = try result.get() } catch { throw .broker(BrokerError(error)) }
        let roles = plugin.served
        if plugin.origin != .bundled { try checkUnused(name, roles) }
        try work(takingAway: roles) {
          Result { () throws(PluginFailure) in try catalogue.remove(name) }
        } then: { [self] result in
          if case .failure(let failure) = result { return call.fail(BrokerError(failure)) }
          core.log.notice("a plugin was removed", ["plugin": name])
          renew(Set(roles))
          call.reply(Admin.RemovePlugin.Reply())
        }
      }
    }
  }

  private func checkUnused(_ name: String, _ roles: [PluginRole]) throws(CallFailure) {
    let users = users(of: roles).map(\.description)
    guard users.isEmpty else {
      throw .broker(
        BrokerError(
          .refused,
          "Plugin \(name) is in use by the libraries \(users.joined(separator: ", ")). Remove these, or give their grants "
            + "and rules another album policy; photobroker plugin disable \(name) stops it meanwhile."))
    }
    guard !roles.contains(PluginRole(.cloudMapping, core.factory.defaultCloudMapping)) else {
      throw .broker(BrokerError(.refused, "Plugin \(name) makes this broker's cloud identifiers: photobrokerd --cloud-mapping names it."))
    }
  }

  // MARK: Running libraries

  /// Moves running libraries to what offers these roles now.
  /// - Returns: the libraries that use them.
  @discardableResult
  private func renew(_ roles: Set<PluginRole>) -> [LibraryName] {
    forEach(of: roles) { $0.reopenStorage() }
  }

  /// Ends what running libraries use of these roles.
  private func withdraw(_ roles: Set<PluginRole>, _ name: String) -> [LibraryName] {
    forEach(of: roles) {
      $0.closeStorage(
        Reason(.pluginDisabled, "Plugin \"\(name)\" is disabled: photobroker plugin enable \(name).", ["plugin": name]))
    }
  }

  private func forEach(of roles: Set<PluginRole>, storage: (LibraryRuntime) -> Void) -> [LibraryName] {
    core.renewPolicies(Set(roles.filter { $0.kind == .albumPolicy }.map(\.name)))
    let concerned = libraries(using: roles)
    for name in concerned {
      guard let library = core.broker.libraries[name] else { continue }
      let runtime = core.runtime(library)
      if roles.contains(PluginRole(.storage, library.record.backend)) { storage(runtime) }
      if roles.contains(mapping(of: library)) { runtime.renewMapping() }
      if roles.contains(where: { $0.kind == .albumPolicy }) { runtime.compileAlbums() }
    }
    return concerned
  }
}

extension BrokerError {
  /// What a plugin's failure is to whoever looks after plugins.
  init(_ failure: PluginFailure) {
    switch failure.code {
    case .notFound: self = .notFound("plugin", failure.message)
    case .failed, .noSpace: self.init(.failed, failure.message)
    case .offline, .readOnly, .invalidOption, .unsupported: self.init(.refused, failure.message)
    }
  }
}
