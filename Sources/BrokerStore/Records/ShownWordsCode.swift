import Broker
import PhotoModel

/// An app's own words in a prompt, as one blob: version 1, then the fields in order. An optional
/// field has a presence byte before it. An agreement is its time, its user and the words.
enum ShownWordsCode {
  static func encode(_ words: ShownWords) -> [UInt8] {
    var writer = ByteWriter()
    put(words, &writer)
    return writer.bytes
  }

  static func encode(_ agreement: Agreement) -> [UInt8] {
    var writer = ByteWriter()
    put(agreement, &writer)
    return writer.bytes
  }

  /// Returns nil for bytes that `encode` did not write.
  static func decodeWords(_ bytes: [UInt8]) -> ShownWords? {
    var reader = ByteReader(bytes)
    let words = words(&reader)
    return reader.isAtEnd ? words : nil
  }

  /// Returns nil for bytes that `encode` did not write.
  static func decodeAgreement(_ bytes: [UInt8]) -> Agreement? {
    var reader = ByteReader(bytes)
    let agreement = agreement(&reader)
    return reader.isAtEnd ? agreement : nil
  }

  static func put(_ agreement: Agreement, _ writer: inout ByteWriter) {
    writer.putCompact(signed: agreement.time.microseconds)
    writer.putCompact(UInt64(agreement.user))
    put(agreement.words, &writer)
  }

  static func agreement(_ reader: inout ByteReader) -> Agreement? {
    guard let time = reader.compactSigned(), let user = reader.compact().flatMap(UInt32.init(exactly:)),
      let words = words(&reader)
    else { return nil }
    return Agreement(time: Timestamp(microseconds: time), user: user, words: words)
  }

  private static func put(_ words: ShownWords, _ writer: inout ByteWriter) {
    writer.put(1)
    writer.put(words.identifier)
    writer.put(words.displayName)
    writer.put(words.usageDescription)
    writer.put(optional: words.language)
    writer.put(optional: words.systemIdentity)
    writer.put(optional: words.executable)
  }

  private static func words(_ reader: inout ByteReader) -> ShownWords? {
    guard reader.byte() == 1, let identifier = reader.text(), let displayName = reader.text(),
      let usageDescription = reader.text(),
      let language = reader.optionalText(), let systemIdentity = reader.optionalText(),
      let executable = reader.optionalText()
    else { return nil }
    return ShownWords(
      identifier: identifier, displayName: displayName, usageDescription: usageDescription, language: language.value,
      systemIdentity: systemIdentity.value, executable: executable.value)
  }
}
