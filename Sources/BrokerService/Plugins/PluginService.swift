import Broker
import BrokerInterface
import EventLoop
import PluginCatalogue
import PluginHost
import PluginKit

/// Management of plugins for owners' programs. Files and processes are handled on a worker,
/// libraries on the loop.
final class PluginService {
  unowned let core: ServiceCore
  let catalogue: PluginCatalogue
  private let worker: Worker?
  /// Roles that libraries will use by decisions that are still being made.
  private var claims: [Int: [LibraryName: Set<PluginRole>]] = [:]
  private var lastClaim = 0
  /// Roles that are being removed, with their plugin or by a new version of it.
  private var leaving: [PluginRole] = []

  init(_ catalogue: PluginCatalogue, core: ServiceCore) {
    self.core = core
    self.catalogue = catalogue
    worker = try? Worker(name: "plugins", turns: .patient)
  }

  /// Runs blocking work, one after the other, and `then` on the loop, even if the caller has gone.
  func work<R: Sendable>(_ body: @escaping @Sendable () -> R, then: @escaping (R) -> Void) throws(CallFailure) {
    do throws(EventLoopError) {
      guard let worker else { throw .notRunning("The plugins' worker") }
      try worker.run(body, on: core.loop, completion: then)
    } catch {
      throw .failed("The broker is busy with other plugins; try again in a moment.")
    }
  }

  func stop() { worker?.stop() }

  /// Libraries that use one of these roles as storage or cloud mapping, or in a grant's or rule's
  /// album policy. Sorted by name.
  func libraries(using roles: some Sequence<PluginRole>) -> [LibraryName] {
    let roles = Set(roles)
    return core.broker.libraries.values.filter { library in
      if roles.contains(PluginRole(.storage, library.record.backend)) || roles.contains(mapping(of: library)) {
        return true
      }
      return core.broker.albumPolicies(in: library.record.name).contains {
        roles.contains(PluginRole(.albumPolicy, $0))
      }
    }.map(\.record.name).sorted()
  }

  /// The ``libraries(using:)``, and the libraries that will use these roles once unfinished decisions
  /// are made.
  func users(of roles: some Sequence<PluginRole>) -> [LibraryName] {
    let roles = Set(roles)
    let coming = claims.values.flatMap { $0.filter { !roles.isDisjoint(with: $0.value) }.keys }
    return Set(libraries(using: roles) + coming).sorted()
  }

  /// Keeps plugins from being removed until the decision to use them is made.
  /// - Throws: `refused` if a role is being removed right now.
  func claim(_ wanted: [LibraryName: Set<PluginRole>]) throws(BrokerError) -> PluginClaim {
    if let role = wanted.values.lazy.flatMap({ $0 }).first(where: { leaving.contains($0) }) {
      throw .refused("The plugin with the \(role) is being removed right now.")
    }
    lastClaim &+= 1
    claims[lastClaim] = wanted
    return PluginClaim(lastClaim, of: self)
  }

  func release(_ claim: Int) { claims[claim] = nil }

  /// Runs blocking work that may fail, and during which these roles cannot be claimed.
  func attempt<R: Sendable>(
    takingAway roles: [PluginRole] = [], _ body: @escaping @Sendable () throws(PluginFailure) -> R,
    then: @escaping (Result<R, PluginFailure>) -> Void
  ) throws(CallFailure) {
    try work {
      Result(catching: body)
    } then: { [self] result in
      for role in roles { if let index = leaving.firstIndex(of: role) { leaving.remove(at: index) } }
      then(result)
    }
    leaving += roles
  }

  func mapping(of library: LibraryState) -> PluginRole {
    PluginRole(.cloudMapping, library.record.plugins.cloudMapping ?? core.factory.defaultCloudMapping)
  }

  func info(_ plugin: CataloguedPlugin) -> Admin.PluginInfo {
    let plugin = catalogue.placed(plugin)
    return Admin.PluginInfo(
      name: plugin.name, origin: plugin.origin.rawValue, form: plugin.form.rawValue, state: plugin.state.rawValue,
      problem: plugin.problem, problemReason: plugin.problem.map { Admin.Reason(Reason(plugin.reason, $0)) },
      digest: plugin.digest,
      built: plugin.description?.built,
      offers: (plugin.description?.entries ?? []).map { Admin.PluginOffer($0) }, installed: plugin.installed,
      installedBy: plugin.installedBy, usedBy: libraries(using: plugin.served).map(\.description),
      isTrusted: plugin.isTrusted, hasNetwork: plugin.hasNetwork)
  }
}

extension CataloguedPlugin {
  fileprivate var reason: Reason.Code {
    switch state {
    case .enabled: .pluginUncounted
    case .disabled: .pluginChanged
    case .refused: origin == .bundled ? .pluginUnusable : .pluginNameTaken
    }
  }
}

extension Admin.PluginOffer {
  fileprivate init(_ entry: PluginDescription.Entry) {
    self.init(
      protocol: entry.kind.rawValue, name: entry.name, summary: entry.summary,
      options: entry.options.map { option in
        Admin.PluginOption(
          name: option.name, allowed: option.allowed, default: option.defaultValue,
          isRequired: option.defaultValue == nil && !option.isOptional, isSecret: option.isSecret,
          summary: option.summary)
      })
  }
}
