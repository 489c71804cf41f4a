import Broker
import PhotoModel

/// A rule as one blob, without its library and name: version 1, then the fields in order. An
/// optional field has a presence byte before it.
enum RuleCode {
  static func encode(_ rule: RuleRecord) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(1)
    writer.put(optional: rule.identifier)
    writer.putCompact(UInt64(rule.uid))
    writer.put(optional: rule.systemIdentity)
    writer.put(rule.level.rawValue)
    writer.put(rule.answer.rawValue)
    writer.putCompact(UInt64(rule.selectors.count))
    for selector in rule.selectors { put(selector, &writer) }
    writer.put(optional: rule.albumPolicy)
    writer.put(optional: rule.lifetimeSeconds)
    writer.putCompact(UInt64(rule.author))
    writer.put(rule.role.rawValue)
    writer.putCompact(signed: rule.made.microseconds)
    return writer.bytes
  }

  /// Returns nil for bytes that `encode` did not write.
  static func decode(_ bytes: [UInt8], library: LibraryName, name: String) -> RuleRecord? {
    var reader = ByteReader(bytes)
    guard reader.byte() == 1, let identifier = reader.optionalText(), let user = reader.compact(),
      let uid = UInt32(exactly: user),
      let systemIdentity = reader.optionalText(), let level = reader.text().flatMap(AccessLevel.init(rawValue:)),
      let answer = reader.text().flatMap(RuleAnswer.init(rawValue:)), let count = reader.count(ofAtLeast: 8)
    else { return nil }
    var selectors: [RuleSelector] = []
    for _ in 0..<count {
      guard let selector = selector(&reader) else { return nil }
      selectors.append(selector)
    }
    guard let albumPolicy = reader.optionalText(), let lifetime = reader.optionalSigned(),
      let author = reader.compact(),
      let role = reader.text().flatMap(DecisionRole.init(rawValue:)), let made = reader.compactSigned(), reader.isAtEnd,
      let author = UInt32(exactly: author)
    else { return nil }
    return RuleRecord(
      library: library, name: name, identifier: identifier.value, uid: uid, systemIdentity: systemIdentity.value,
      level: level,
      answer: answer, selectors: selectors, albumPolicy: albumPolicy.value, lifetimeSeconds: lifetime.value,
      author: author,
      role: role, made: Timestamp(microseconds: made))
  }

  private static func put(_ selector: RuleSelector, _ writer: inout ByteWriter) {
    writer.put(optional: selector.glob)
    writer.put(optional: selector.createdFrom?.microseconds)
    writer.put(optional: selector.createdBefore?.microseconds)
    writer.put(optional: selector.filename)
    writer.put(optional: selector.mediaType.map { Int64($0.rawValue) })
    writer.put(optional: selector.favourite.map { $0 ? 1 : 0 })
    writer.put(optional: selector.last.map { Int64($0) })
    writer.put(selector.everything ? 1 : 0)
  }

  private static func selector(_ reader: inout ByteReader) -> RuleSelector? {
    guard let glob = reader.optionalText(), let from = reader.optionalSigned(), let before = reader.optionalSigned(),
      let filename = reader.optionalText(), let type = reader.optionalSigned(), let favourite = reader.optionalSigned(),
      let last = reader.optionalSigned(), let everything = reader.byte()
    else { return nil }
    var mediaType: MediaType?
    if let number = type.value {
      guard let raw = MediaType.RawValue(exactly: number), let known = MediaType(rawValue: raw) else { return nil }
      mediaType = known
    }
    return RuleSelector(
      glob: glob.value, createdFrom: from.value.map { Timestamp(microseconds: $0) },
      createdBefore: before.value.map { Timestamp(microseconds: $0) }, filename: filename.value, mediaType: mediaType,
      favourite: favourite.value.map { $0 != 0 }, last: last.value.map { Int(clamping: $0) },
      everything: everything == 1)
  }
}
