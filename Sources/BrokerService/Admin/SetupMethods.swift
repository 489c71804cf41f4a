import Broker
import BrokerInterface
import EventLoop
import Indexer
import PhotoModel
import PluginHost
import PluginKit

/// New libraries, and new settings of libraries.
struct SetupMethods {
  private let broker: Broker
  private let environment: any Environment
  private let loop: EventLoop
  private let runtimes: LibraryRuntimes
  private let plugins: PluginService
  private let trials: PluginTrials
  private let credentials: LibrarySecrets

  init(core: ServiceCore) {
    (broker, environment, loop) = (core.broker, core.environment, core.loop)
    (runtimes, plugins, trials, credentials) = (core.runtimes, core.plugins, core.trials, core.secrets)
  }

  @MethodRows var methods: [Method] {
    Method(Admin.AddLibrary.self, .administration(addLibrary))
    Method(Admin.SetUpLibrary.self, .administration(setUpLibrary))
  }

  private func addLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.AddLibrary.Parameters = try call.parameters()
    guard let name = LibraryName(parameters.name) else {
      throw .invalid("name", "a name has 1 to 64 of a-z, 0-9 and hyphen, and begins with a letter")
    }
    let owner = parameters.owner.map { UInt32(clamping: $0) }
    let offered = AdminParameters.uids(parameters.offeredTo ?? [])
    let handed = try HandedCredentials(parameters.credentials, call, allowsForgetting: false)
    ChosenZone.find(
      parameters.timeZone, offsetMinutes: parameters.zoneOffsetMinutes, at: environment.now, on: loop
    ) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        let zone = try result.get()?.setup ?? LibrarySetup.Zone(name: nil, offsetMinutes: 0)
        var record = LibraryRecord(
          name: name, owner: owner ?? session.uid, backend: parameters.backend ?? "directory",
          options: parameters.options, offeredTo: offered, zoneOffsetMinutes: zone.offsetMinutes, rootKey: [])
        LibrarySetup(cloudMapping: parameters.cloudMapping, mappingOptions: parameters.cloudMappingOptions, zone: zone)
          .apply(to: &record)
        try tryAndAdd(
          record, handed, triesMapping: parameters.cloudMapping != nil || parameters.cloudMappingOptions != nil, call,
          session)
      }
    }
  }

  private func tryAndAdd(
    _ record: LibraryRecord, _ handed: HandedCredentials, triesMapping: Bool, _ call: IncomingCall,
    _ session: AdminSession
  ) throws(CallFailure) {
    // No processes are started for a refused request.
    try decide(session.libraries.checkAdding(for: record.owner))
    // The plugins are tried before the library exists, so that a mistake in the options is told to
    // the person who made it.
    let trial = PluginTrials.Trial(storage: true, mapping: triesMapping)
    let mapping = record.plugins.cloudMapping.map { [PluginRole(.cloudMapping, $0)] } ?? []
    let roles = Set([PluginRole(.storage, record.backend)] + mapping)
    let claim = try decide(plugins.claim([record.name: roles]))
    trials.run(record, trial, handed, isNew: true) { result in
      guard !call.isClosed else { return claim.release() }
      switch result {
      case .failure(let failure):
        claim.release()
        call.fail(BrokerError(.refused, failure.message, failure.reason))
      case .success(let secrets):
        session.libraries.add(
          record.name, backend: record.backend, options: record.options, owner: record.owner,
          offeredTo: record.offeredTo, zoneName: record.zoneName, zoneOffsetMinutes: record.zoneOffsetMinutes,
          plugins: record.plugins
        ) { result in
          claim.release()
          result.orFail(call) { library in
            broker.promptService.note(refusedByStorage: secrets.refusedByStorage, in: library)
            begin(library, secrets.after, call, session)
          }
        }
      }
    }
  }

  /// Starts a new library once its secrets are written. If they cannot be, the library is removed.
  private func begin(
    _ library: LibraryState, _ secrets: [String: String], _ call: IncomingCall, _ session: AdminSession
  ) {
    let name = library.record.name
    credentials.keep(secrets, of: name) { failure in
      guard broker.libraries[name] === library else {
        credentials.forget(name)
        return call.fail(AdminParameters.noLibrary())
      }
      if let failure {
        return session.libraries.remove(name) { _ in call.fail(BrokerError(.failed, failure.message)) }
      }
      let runtime = runtimes.start(library)
      call.reply(Admin.AddLibrary.Reply(library: AdminRecords.info(runtime, for: session)))
    }
  }

  private func setUpLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetUpLibrary.Parameters = try call.parameters()
    let library = try AdminParameters.library(parameters.name, session.ownedLibrary)
    let handed = try HandedCredentials(parameters.credentials, call, allowsForgetting: true)
    let setup = try setup(parameters)
    guard parameters != Admin.SetUpLibrary.Parameters(name: parameters.name) else {
      throw .refused(
        "There is nothing to set; give options, credentials, a cloud mapping, a policy's options or a time zone.")
    }
    ChosenZone.find(
      parameters.timeZone, offsetMinutes: parameters.zoneOffsetMinutes, at: environment.now, on: loop
    ) { result in
      guard !call.isClosed else { return }
      call.attempt { () throws(CallFailure) in
        let zone = try result.get()
        var setup = setup
        setup.zone = zone?.setup
        try setUp(library, setup, in: zone?.rules, handed, call, session)
      }
    }
  }

  /// - Parameter rules: Rules of the library's new time zone; nil: the zone stays.
  private func setUp(
    _ library: LibraryState, _ setup: LibrarySetup, in rules: ZoneRules?, _ handed: HandedCredentials,
    _ call: IncomingCall, _ session: AdminSession
  ) throws(CallFailure) {
    let name = library.record.name
    var target = library.record
    setup.apply(to: &target)
    let opensAnew = setup.changesStorage || !handed.isEmpty
    let trial = PluginTrials.Trial(
      storage: opensAnew, mapping: setup.changesMapping, policies: setup.policyOptions.keys.sorted())
    let mapping = Set([setup.cloudMapping].compactMap { $0 }.map { PluginRole(.cloudMapping, $0) })
    let claim = try decide(plugins.claim([name: mapping]))
    let refuse: (CallFailure) -> Void = {
      claim.release()
      call.fail($0)
    }
    trials.run(target, trial, handed, isNew: false) { result in
      guard !call.isClosed else { return claim.release() }
      switch result {
      case .failure(let failure): refuse(.refused(failure.message, failure.reason))
      case .success(let secrets):
        keep(secrets, of: library, orElse: refuse) {
          session.libraries.setUp(name, setup, credentials: handed.names) { result in
            switch result {
            case .failure(let error):
              keep(
                PluginTrials.Secrets(before: secrets.after, after: secrets.before), of: library, orElse: refuse
              ) {
                refuse(.broker(error))
              }
            case .success:
              claim.release()
              use(library, restarts: opensAnew || setup.changesMapping, with: secrets.after.keys.sorted(), call) {
                if let rules { runtimes[library].scanner.useZone(rules) }
                call.reply(Admin.SetUpLibrary.Reply(library: AdminRecords.info(runtimes[library], for: session)))
              }
            }
          }
        }
      }
    }
  }

  private func setup(_ parameters: Admin.SetUpLibrary.Parameters) throws(CallFailure) -> LibrarySetup {
    var policies: [String: [String: String]] = [:]
    for entry in parameters.albumPolicies ?? [] {
      guard LibraryName(entry.policy) != nil, policies.updateValue(entry.options, forKey: entry.policy) == nil else {
        throw .invalid("albumPolicies.policy", "it is no policy's name, or names one twice")
      }
    }
    return LibrarySetup(
      options: parameters.options, cloudMapping: parameters.cloudMapping,
      mappingOptions: parameters.cloudMappingOptions, policyOptions: policies)
  }

  private func keep(
    _ secrets: PluginTrials.Secrets, of library: LibraryState, orElse refuse: @escaping (CallFailure) -> Void,
    _ then: @escaping () -> Void
  ) {
    guard secrets.before != secrets.after else { return then() }
    credentials.keep(secrets.after, of: library.record.name) { failure in
      guard broker.libraries[library.record.name] === library else {
        credentials.forget(library.record.name)
        return refuse(AdminParameters.noLibrary())
      }
      if let failure { return refuse(.failed(failure.message)) }
      then()
    }
  }

  private func use(
    _ library: LibraryState, restarts: Bool, with credentials: [String], _ call: IncomingCall,
    _ then: @escaping () -> Void
  ) {
    guard broker.libraries[library.record.name] === library else {
      return call.fail(AdminParameters.noLibrary())
    }
    if restarts { return runtimes.restart(library, credentials: credentials, then) }
    runtimes[library].policies.changePolicies(then)
  }
}
