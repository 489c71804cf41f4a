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
  var summary: String {
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
