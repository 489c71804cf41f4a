import Broker
import BrokerInterface
import Indexer
import PhotoModel
import PluginHost
import PluginKit

extension AdminMethods {
  static func setUpLibrary(_ call: IncomingCall, _ session: AdminSession) throws(CallFailure) {
    let parameters: Admin.SetUpLibrary.Parameters = try call.parameters()
    let name = try AdminParameters.library(parameters.name)
    let library = try decide(session.ownedLibrary(name))
    let handed = try HandedCredentials(parameters.credentials, call, allowsForgetting: true)
    let setup = try setup(parameters)
    guard parameters != Admin.SetUpLibrary.Parameters(name: parameters.name) else {
      throw .broker(
        BrokerError(
          .refused,
          "There is nothing to set; give options, credentials, a cloud mapping, a policy's options or a time zone."))
    }
    ChosenZone.find(parameters.timeZone, offsetMinutes: parameters.zoneOffsetMinutes, call.core) { result in
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
  private static func setUp(
    _ library: LibraryState, _ setup: LibrarySetup, in rules: ZoneRules?, _ handed: HandedCredentials,
    _ call: IncomingCall,
    _ session: AdminSession
  ) throws(CallFailure) {
    let name = library.record.name
    var target = library.record
    setup.apply(to: &target)
    let opensAnew = setup.changesStorage || !handed.isEmpty
    let trial = ServiceCore.Trial(
      storage: opensAnew, mapping: setup.changesMapping, policies: setup.policyOptions.keys.sorted())
    let mapping = Set([setup.cloudMapping].compactMap { $0 }.map { PluginRole(.cloudMapping, $0) })
    let claim = try decide(call.core.plugins.claim([name: mapping]))
    let refuse: (CallFailure) -> Void = {
      claim.release()
      call.fail($0)
    }
    call.core.tryPlugins(target, trial, handed, isNew: false) { result in
      guard !call.isClosed else { return claim.release() }
      switch result {
      case .failure(let failure): refuse(.broker(BrokerError(.refused, failure.message, failure.reason)))
      case .success(let secrets):
        keep(secrets, of: library, call.core, orElse: refuse) {
          session.setUp(name, setup, credentials: handed.names) { result in
            switch result {
            case .failure(let error):
              keep(
                ServiceCore.Secrets(before: secrets.after, after: secrets.before), of: library, call.core,
                orElse: refuse
              ) {
                refuse(.broker(error))
              }
            case .success:
              claim.release()
              use(library, restarts: opensAnew || setup.changesMapping, with: secrets.after.keys.sorted(), call) {
                if let rules { call.core.runtime(library).scanner.useZone(rules) }
                call.reply(
                  Admin.SetUpLibrary.Reply(library: AdminRecords.info(call.core.runtime(library), for: session)))
              }
            }
          }
        }
      }
    }
  }

  private static func setup(_ parameters: Admin.SetUpLibrary.Parameters) throws(CallFailure) -> LibrarySetup {
    var policies: [String: [String: String]] = [:]
    for entry in parameters.albumPolicies ?? [] {
      guard LibraryName(entry.policy) != nil, policies.updateValue(entry.options, forKey: entry.policy) == nil else {
        throw .invalid("albumPolicies.policy")
      }
    }
    return LibrarySetup(
      options: parameters.options, cloudMapping: parameters.cloudMapping,
      mappingOptions: parameters.cloudMappingOptions,
      policyOptions: policies)
  }

  private static func keep(
    _ secrets: ServiceCore.Secrets, of library: LibraryState, _ core: ServiceCore,
    orElse refuse: @escaping (CallFailure) -> Void,
    _ then: @escaping () -> Void
  ) {
    guard secrets.before != secrets.after else { return then() }
    core.secrets.keep(secrets.after, of: library.record.name) { failure in
      guard core.broker.libraries[library.record.name] === library else {
        core.secrets.forget(library.record.name)
        return refuse(AdminParameters.noLibrary())
      }
      if let failure { return refuse(.broker(BrokerError(.failed, failure.message))) }
      then()
    }
  }

  private static func use(
    _ library: LibraryState, restarts: Bool, with credentials: [String], _ call: IncomingCall,
    _ then: @escaping () -> Void
  ) {
    guard call.core.broker.libraries[library.record.name] === library else {
      return call.fail(AdminParameters.noLibrary())
    }
    if restarts { return call.core.restart(library, credentials: credentials, then) }
    call.core.runtime(library).policies.changePolicies(then)
  }
}
