import Broker
import Delivery
import EventLoop
import Macaroons
import PhotoModel
import PluginHost
import PluginKit

/// Trial starts of plugins before a library uses them, and the secrets that they get.
struct PluginTrials {
  private let broker: Broker
  private let loop: EventLoop
  private let factory: ProcessFactory
  private let configuration: Configuration
  private let runtimes: LibraryRuntimes
  private let plugins: PluginService
  /// Each trial starts processes, and a file system that hangs delays only its owner's.
  private let turns = FairQueue(limitPerUser: 2)

  init(core: ServiceCore) {
    (broker, loop, factory, configuration) = (core.broker, core.loop, core.factory, core.configuration)
    (runtimes, plugins) = (core.runtimes, core.plugins)
  }

  /// The secrets that the plugins got, and a finding of their trial.
  struct Secrets: Sendable {
    var before: [String: String] = [:]
    var after: [String: String] = [:]
    /// The changes that the storage on trial takes none of.
    var refusedByStorage: Verbs = []
  }

  /// The plugins of a library that are started on trial.
  struct Trial: Sendable {
    var storage = false
    var mapping = false
    var policies: [String] = []
  }

  /// Starts plugins with a library's new settings, so that the person who made a mistake is told of
  /// it.
  func run(
    _ record: LibraryRecord, _ trial: Trial, _ handed: HandedCredentials, isNew: Bool,
    _ completion: @escaping (Result<Secrets, StorageFailure>) -> Void
  ) {
    let factory = LoopConfined(factory)
    let (allowedPlaces, closed) = (configuration.allowedPlaces, configuration.ownFolders)
    let trying: @Sendable () throws(StorageFailure) -> Secrets = { () throws(StorageFailure) in
      let plugins = record.plugins
      try allowedPlaces.checkPaths([record.options, plugins.mappingOptions] + plugins.policyOptions.values, of: record)
      var secrets = Secrets()
      if !isNew { secrets.before = try factory.value.credentials.read(record.name) }
      secrets.after = try handed.applied(to: secrets.before)
      if trial.storage {
        let storage = try factory.value.storage(for: record, secrets: secrets.after)
        defer { storage.stop() }
        let places = factory.value.places(of: record)
        let facts = try storage.facts()
        let source = try allowedPlaces.files(of: record, facts, storage, closed: closed, places: places)
        secrets.refusedByStorage = facts.refused
        try allowedPlaces.checkAdding(to: source, of: record)
      }
      if trial.mapping {
        let mapping = factory.value.cloudMapping(for: record)
        defer { mapping.stop() }
        try mapping.check()
      }
      let policies = factory.value.albumPolicies(for: record)
      defer { policies.stop() }
      for policy in trial.policies { try policies.check(policy, asks: true) }
      return secrets
    }
    turns.take(
      FairQueue.Turn(user: record.owner) { [loop] done in
        loop.blocking(trying) {
          done()
          completion($0)
        }
      })
  }

  /// Refuses album policies that are not installed, and keeps installed ones from being removed
  /// until the decision is made. `none` is always accepted, so that narrowing a grant depends on no
  /// plugin (R133).
  /// - Parameters:
  /// - chosen: Policies, with the libraries in which they are to hold.
  /// - asks: Whether the policies' processes are started to check their options. False for a
  ///   decision that narrows, because it must not wait.
  /// - completion: Gets the claim to release after the decision, or the reason of the refusal.
  func claimPolicies(
    _ chosen: [LibraryName: Set<String>], asks: Bool = true, _ completion: @escaping Completion<PluginClaim>
  ) {
    var asked: [(policies: PluginAlbumPolicies, name: String)] = []
    var wanted: [LibraryName: Set<PluginRole>] = [:]
    for (library, names) in chosen {
      guard let runtime = broker.libraries[library].map({ runtimes[$0] }) else { continue }
      // An impossible policy name is refused later, with the decision.
      for name in names.subtracting(["none"]).filter({ LibraryName($0) != nil }) {
        asked.append((runtime.policies.plugins, name))
        wanted[library, default: []].insert(PluginRole(.albumPolicy, name))
      }
    }
    let claim: PluginClaim
    do throws(BrokerError) { claim = try plugins.claim(wanted) } catch { return completion(.failure(error)) }
    guard !asked.isEmpty else { return completion(.success(claim)) }
    let questions = asked
    loop.blocking({ () throws(StorageFailure) -> Bool in
      for question in questions { try question.policies.check(question.name, asks: asks) }
      return true
    }) { result in
      switch result {
      case .success: completion(.success(claim))
      case .failure(let failure):
        claim.release()
        completion(.failure(.refused(failure.message, failure.reason)))
      }
    }
  }
}

extension EventLoop {
  /// Runs work that may take seconds on a thread of its own.
  func blocking<R: Sendable>(
    _ body: @escaping @Sendable () throws(StorageFailure) -> R,
    _ completion: @escaping (Result<R, StorageFailure>) -> Void
  ) {
    do throws(EventLoopError) {
      let worker = try Worker(name: "try plugins", turns: .patient)
      try worker.run({ Result { () throws(StorageFailure) in try body() } }, on: self) {
        (result: Result<R, StorageFailure>) in
        worker.stop()
        completion(result)
      }
    } catch {
      completion(.failure(StorageFailure(.failed, "\(error)")))
    }
  }
}
