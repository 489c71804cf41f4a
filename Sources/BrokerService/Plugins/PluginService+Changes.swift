import Broker
import BrokerInterface
import EventLoop
import PhotoModel
import PluginCatalogue
import PluginHost
import PluginKit
import UnixSocket

/// Installs, enables and removes plugins, and updates the libraries that use them.
extension PluginService {
  struct Installation {
    var session: AdminSession
    var upgrades: Bool
    var isDevelopment: Bool
    /// Whether nothing is installed, because the caller only wants to know the outcome.
    var isPreview: Bool
    /// New options of libraries for this version, see ``LibrarySetup``.
    var options: [LibraryName: [String: String]]
  }

  func install(
    _ file: HandedDescriptor, _ name: String, _ form: PluginForm, _ how: Installation, for call: IncomingCall
  ) throws(CallFailure) {
    let catalogue = catalogue
    let (replaces, isPreview) = (how.upgrades || how.isPreview, how.isPreview)
    try attempt { () throws(PluginFailure) in
      try catalogue.candidate(file.number, named: name, form, replaces: replaces, isPreview: isPreview)
    } then: { [self] result in
      result.orFail(call) { candidate in
        call.attempt { () throws(CallFailure) in try install(candidate, how, for: call) }
      }
    }
  }

  private func install(_ candidate: PluginCatalogue.Candidate, _ how: Installation, for call: IncomingCall)
    throws(CallFailure)
  {
    let former = candidate.served
    let lost = former.filter { !candidate.description.roles.contains($0) }
    try checkUnused(lost)
    if how.isPreview || candidate.isInstalled {
      guard how.isPreview || how.options.isEmpty else {
        throw .refused(
          "It is this file already, so nothing is upgraded; set options with photobroker library set, or library "
            + "policy.")
      }
      return call.reply(
        Admin.InstallPlugin.Reply(
          plugin: info(candidate.shown), change: how.isPreview ? "previewed" : "unchanged", libraries: []))
    }
    let (catalogue, credentials) = (catalogue, core.factory.credentials)
    let uses = try uses(of: former, how.options, candidate)
    let setups = Dictionary(grouping: uses, by: \.library).compactMapValues { uses in
      Use.Setup.joined(uses.compactMap(\.setup))
    }
    try attempt(takingAway: lost) { () throws(PluginFailure) in
      try Use.check(uses, candidate, catalogue, credentials)
    } then: { [self] result in
      if case .failure(let failure) = result { return call.fail(BrokerError(failure)) }
      setUp(setups.sorted { $0.key < $1.key }.map { (library: $0.key, change: $0.value) }, how.session) {
        [self] result in
        result.orFail(call) { undo in
          let refuse: (CallFailure) -> Void = { failure in undo { call.fail(failure) } }
          do throws(CallFailure) {
            // A library may have begun to use it meanwhile.
            try checkUnused(lost)
            try put(candidate, how, Set(setups.keys), for: call, orElse: refuse)
          } catch {
            refuse(error)
          }
        }
      }
    }
  }

  private func checkUnused(_ lost: [PluginRole]) throws(CallFailure) {
    guard let role = lost.first(where: { !users(of: [$0]).isEmpty }) else { return }
    let names = users(of: [role]).map(\.description).joined(separator: ", ")
    throw .refused("This version does not offer the \(role), which is in use (\(names)); install a version that does.")
  }

  /// Saves new settings of libraries, all of them or none.
  /// - Parameter completion: Gets a function that restores the old settings.
  private func setUp(
    _ setups: [(library: LibraryName, change: Use.Setup)], _ session: AdminSession,
    undo: [(LibraryName, LibrarySetup)] = [],
    _ completion: @escaping Completion<(@escaping () -> Void) -> Void>
  ) {
    let takeBack: (@escaping () -> Void) -> Void = { [self] then in self.takeBack(undo, session, then) }
    guard let next = setups.first else { return completion(.success(takeBack)) }
    session.libraries.setUpForUpgrade(next.library, next.change.after) { [self] result in
      if case .failure(let error) = result { return takeBack { completion(.failure(error)) } }
      setUp(Array(setups.dropFirst()), session, undo: undo + [(next.library, next.change.before)], completion)
    }
  }

  private func takeBack(_ undo: [(LibraryName, LibrarySetup)], _ session: AdminSession, _ then: @escaping () -> Void) {
    guard let (library, setup) = undo.last else { return then() }
    session.libraries.setUpForUpgrade(library, setup) { [self] result in
      if case .failure(let error) = result {
        core.log.error(
          "a library has options of a version that was not installed",
          ["library": "\(library)", "reason": "\(error)"])
      }
      takeBack(Array(undo.dropLast()), session, then)
    }
  }

  /// Installs a candidate, and moves its libraries to it.
  /// - Parameter anew: Libraries with new settings for it.
  private func put(
    _ candidate: PluginCatalogue.Candidate, _ how: Installation, _ anew: Set<LibraryName>, for call: IncomingCall,
    orElse refuse: @escaping (CallFailure) -> Void
  ) throws(CallFailure) {
    let former = candidate.served
    let (catalogue, user, isDevelopment) = (catalogue, how.session.uid, how.isDevelopment)
    let now = core.environment.now.microseconds
    try attempt(takingAway: former.filter { !candidate.description.roles.contains($0) }) { () throws(PluginFailure) in
      try catalogue.install(candidate, by: user, at: now, development: isDevelopment)
    } then: { [self] result in
      switch result {
      case .failure(let failure): refuse(.broker(BrokerError(failure)))
      case .success(let plugin):
        core.log.notice(
          "a plugin was installed",
          [
            "plugin": plugin.name, "sha256": candidate.digest, "user": "\(user)",
            "replaced": candidate.former?.digest ?? "nothing",
            "network": catalogue.placed(plugin).hasNetwork ? "with" : "without",
          ])
        let moved = candidate.staysDisabled ? [] : renew(Set(former + candidate.description.roles))
        // Restarts their processes with the new settings.
        for name in anew { if let library = core.broker.libraries[name] { core.runtimes.restart(library) {} } }
        if let former = candidate.former { discard(former) }
        call.reply(
          Admin.InstallPlugin.Reply(
            plugin: info(plugin), change: candidate.former == nil ? "installed" : "upgraded",
            libraries: moved.map(\.description)))
      }
    }
  }

  /// Collects the libraries' settings for a new version.
  /// - Throws: `refused` for options that the version does not have or that need no change.
  private func uses(
    of roles: [PluginRole], _ options: [LibraryName: [String: String]], _ candidate: PluginCatalogue.Candidate
  ) throws(CallFailure) -> [Use] {
    var uses = uses(of: roles)
    for (library, edits) in options.sorted(by: { $0.key < $1.key }) {
      let own = uses.indices.filter { uses[$0].library == library }
      guard !own.isEmpty else {
        throw .refused("There is no library \(library) that uses the plugin \(candidate.name).")
      }
      for (name, value) in edits.sorted(by: { $0.key < $1.key }) {
        let takers = own.filter { uses[$0].takes(name, candidate) }
        guard !takers.isEmpty else {
          let known = Set(own.flatMap { uses[$0].entry(candidate)?.options.map(\.name) ?? [] }).sorted().joined(
            separator: ", ")
          throw .refused(
            """
            This version of the plugin, which library \(library) uses, has no option "\(name)". The options: \
            \(known.isEmpty ? "none" : known).
            """)
        }
        guard !takers.allSatisfy({ uses[$0].keeps(name, candidate) }) else {
          throw .refused(
            "Library \(library) has the option \"\(name)\" already, and this version accepts it; its owner changes "
              + "it with "
              + "photobroker library set, or library policy.")
        }
        for taker in takers where !uses[taker].keeps(name, candidate) { uses[taker].edits[name] = value }
      }
    }
    return uses
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

  /// Deletes a replaced version's file after a delay, because a start from it may still be under
  /// way.
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
    try attempt { () throws(PluginFailure) in
      try catalogue.setEnabled(name, enabled)
    } then: { [self] result in
      result.orFail(call) { plugin in
        core.log.notice(enabled ? "a plugin was enabled" : "a plugin was disabled", ["plugin": name])
        let roles = Set(plugin.served)
        let concerned = enabled ? renew(roles) : withdraw(roles, name)
        call.reply(Admin.SetPluginEnabled.Reply(plugin: info(plugin), libraries: concerned.map(\.description)))
      }
    }
  }

  func remove(_ name: String, for call: IncomingCall) throws(CallFailure) {
    let catalogue = catalogue
    try attempt { () throws(PluginFailure) -> CataloguedPlugin in
      try catalogue.plugin(name)
    } then: { [self] result in
      call.attempt { () throws(CallFailure) in
        let plugin: CataloguedPlugin
        do throws(PluginFailure) { plugin = try result.get() } catch { throw .broker(BrokerError(error)) }
        let roles = plugin.served
        if plugin.origin != .bundled { try checkUnused(name, roles) }
        try attempt(takingAway: roles) { () throws(PluginFailure) in
          try catalogue.remove(name)
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
      throw .refused(
        "Plugin \(name) is in use by the libraries \(users.joined(separator: ", ")). \(Self.ways(out: roles)). To "
          + "stop it meanwhile: photobroker plugin disable \(name)")
    }
    guard !roles.contains(PluginRole(.cloudMapping, core.factory.defaultCloudMapping)) else {
      throw .refused("Plugin \(name) makes this broker's cloud identifiers: photobrokerd --cloud-mapping names it.")
    }
  }

  private static func ways(out roles: [PluginRole]) -> String {
    let ways = Set(roles.map(\.kind)).map { kind in
      switch kind {
      case .storage: "remove those whose photos it has"
      case .albumPolicy: "give their grants and rules another album policy"
      case .cloudMapping:
        "have them take the broker's cloud mapping (photobroker library set LIBRARY --cloud-mapping default)"
      }
    }.sorted().joined(separator: ", and ")
    return ways.prefix(1).uppercased() + ways.dropFirst()
  }

  // MARK: Running libraries

  /// Moves running libraries to the present plugins of these roles.
  /// - Returns: The libraries that use them.
  @discardableResult
  private func renew(_ roles: Set<PluginRole>) -> [LibraryName] {
    forEach(of: roles) { $0.reopenStorage() }
  }

  /// Ends running libraries' use of these roles.
  private func withdraw(_ roles: Set<PluginRole>, _ name: String) -> [LibraryName] {
    forEach(of: roles) {
      $0.closeStorage(
        Reason(.pluginDisabled, "Plugin \"\(name)\" is disabled: photobroker plugin enable \(name).", ["plugin": name]))
    }
  }

  private func forEach(of roles: Set<PluginRole>, storage: (Scanner) -> Void) -> [LibraryName] {
    core.runtimes.renewPolicies(Set(roles.filter { $0.kind == .albumPolicy }.map(\.name)))
    let concerned = libraries(using: roles)
    for name in concerned {
      guard let library = core.broker.libraries[name] else { continue }
      let runtime = core.runtimes[library]
      if roles.contains(PluginRole(.storage, library.record.backend)) { storage(runtime.scanner) }
      if roles.contains(mapping(of: library)) { runtime.cloud.renew() }
      if roles.contains(where: { $0.kind == .albumPolicy }) { runtime.policies.compileAlbums() }
    }
    return concerned
  }
}

extension BrokerError {
  /// The error that administrators of plugins get for a plugin's failure.
  init(_ failure: PluginFailure) {
    switch failure.code {
    case .notFound: self = .notFound("plugin", failure.message)
    case .failed, .noSpace: self.init(.failed, failure.message)
    case .offline, .readOnly, .invalidOption, .unsupported: self.init(.refused, failure.message)
    }
  }
}
