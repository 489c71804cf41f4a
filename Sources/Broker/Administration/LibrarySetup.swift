import Limits

/// An owner's change of a library's plugin settings; nil keeps a setting. Only the options that are
/// named change; an empty value restores an option's default.
package struct LibrarySetup: Sendable {
  package var options: [String: String]?
  /// Name of the mapping; empty: the broker's default. A change of mapping clears its options.
  package var cloudMapping: String?
  package var mappingOptions: [String: String]?
  /// Keyed by policy.
  package var policyOptions: [String: [String: String]]
  /// The time zone for dates without an offset.
  package var zone: Zone?

  package struct Zone: Sendable {
    package var name: String?
    package var offsetMinutes: Int32

    package init(name: String?, offsetMinutes: Int32) {
      self.name = name
      self.offsetMinutes = offsetMinutes
    }
  }

  package init(
    options: [String: String]? = nil, cloudMapping: String? = nil, mappingOptions: [String: String]? = nil,
    policyOptions: [String: [String: String]] = [:], zone: Zone? = nil
  ) {
    self.options = options
    self.cloudMapping = cloudMapping
    self.mappingOptions = mappingOptions
    self.policyOptions = policyOptions
    self.zone = zone
  }

  /// Whether the storage must be reopened.
  package var changesStorage: Bool { options != nil }
  package var changesMapping: Bool { cloudMapping != nil || mappingOptions != nil }

  package func apply(to record: inout LibraryRecord) {
    if let zone { (record.zoneName, record.zoneOffsetMinutes) = (zone.name, zone.offsetMinutes) }
    if let options { Self.edit(&record.options, options) }
    if let cloudMapping, (cloudMapping.isEmpty ? nil : cloudMapping) != record.plugins.cloudMapping {
      record.plugins.cloudMapping = cloudMapping.isEmpty ? nil : cloudMapping
      record.plugins.mappingOptions = [:]
    }
    if let mappingOptions { Self.edit(&record.plugins.mappingOptions, mappingOptions) }
    for (policy, edits) in policyOptions {
      var options = record.plugins.policyOptions[policy] ?? [:]
      Self.edit(&options, edits)
      record.plugins.policyOptions[policy] = options.isEmpty ? nil : options
    }
  }

  private static func edit(_ options: inout [String: String], _ edits: [String: String]) {
    for (name, value) in edits { options[name] = value.isEmpty ? nil : value }
  }

  /// For the record of decisions: the names of changed options without their values, and whether
  /// the zone changed.
  fileprivate var summary: String {
    var words = (options ?? [:]).keys.sorted()
    if let cloudMapping { words.append("cloud mapping " + (cloudMapping.isEmpty ? "by default" : cloudMapping)) }
    words += (mappingOptions ?? [:]).keys.sorted().map { "mapping " + $0 }
    if zone != nil { words.append("time zone") }
    for (policy, edits) in policyOptions.sorted(by: { $0.key < $1.key }) {
      words += edits.keys.sorted().map { "\(policy) \($0)" }
    }
    return words.joined(separator: ", ")
  }
}

extension AdminSession {
  /// Changes a library's plugin settings. The caller checks them with the plugins first, and
  /// reopens the affected plugins on completion.
  /// - Parameter credentials: names of secret options that are set or removed at the same time, for
  ///   the record of decisions.
  /// - Throws (by `completion`): `notFound`; `notPermitted` to a caller who does not own the
  ///   library; `refused`; `failed`.
  package func setUp(
    _ name: LibraryName, _ setup: LibrarySetup, credentials: [String] = [],
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      try setUp(try ownedLibrary(name), setup, credentials: credentials, completion: completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// Changes plugin settings as part of a plugin upgrade, in a library of any owner: the right to
  /// install a plugin includes the right to set it up.
  /// - Throws (by `completion`): `notFound`, `refused`, `failed`.
  package func setUpForUpgrade(
    _ name: LibraryName, _ setup: LibrarySetup, completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) {
    do throws(BrokerError) {
      guard let library = broker.libraries[name] else { throw .unknownLibrary() }
      try setUp(library, setup, credentials: [], completion: completion)
    } catch {
      completion(.failure(error))
    }
  }

  private func setUp(
    _ library: LibraryState, _ setup: LibrarySetup, credentials: [String],
    completion: @escaping (Result<LibraryState, BrokerError>) -> Void
  ) throws(BrokerError) {
    var record = library.planned
    setup.apply(to: &record)
    let plugins = record.plugins
    let count =
      record.options.count + plugins.mappingOptions.count + plugins.policyOptions.values.reduce(0) { $0 + $1.count }
    guard count <= BrokerLimits.optionsPerLibrary else {
      throw BrokerError(.refused, "A library has at most \(BrokerLimits.optionsPerLibrary) options; remove some.")
    }
    let what = ([setup.summary] + credentials.map { "credential " + $0 }).filter { !$0.isEmpty }.joined(separator: ", ")
    let decider = decider(in: library)
    library.keep(library.plan(setup.apply), staysNarrowed: false) { [broker] _, _ in
      let decision = DecisionRecord(
        time: broker.environment.now, by: decider, action: "set up", library: library.record.name, before: "",
        after: what)
      // New options may restrict the assets that a storage lists or a policy shows, so an older
      // database must be recognized as old (R144).
      return [.decide(decision)] + (setup.options == nil && setup.policyOptions.isEmpty ? [] : [broker.narrowingMark()])
    } completion: {
      completion($0.map { .failure($0) } ?? .success(library))
    }
  }
}
