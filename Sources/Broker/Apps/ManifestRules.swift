/// What a manifest must keep to before anybody is shown a word of it.
package enum ManifestRules {
  package static let nameLimitBytes = 128
  package static let descriptionLimitBytes = 2_048
  package static let translationLimit = 128

  /// - Throws: `refused` with what is wrong.
  package static func check(_ manifest: Manifest) throws(BrokerError) {
    let identifier = manifest.identifier.utf8
    guard (1...nameLimitBytes).contains(identifier.count), identifier.allSatisfy(isIdentifierByte) else {
      throw BrokerError(
        .refused, "The manifest's identifier must have 1 to \(nameLimitBytes) of a-z, A-Z, 0-9, dot, hyphen, underscore.")
    }
    guard (1...nameLimitBytes).contains(manifest.displayName.utf8.count), manifest.displayName.isShowable(allowsLines: false),
      manifest.displayName.contains(where: { !$0.isWhitespace })
    else {
      throw BrokerError(
        .refused, "The manifest's name must have 1 to \(nameLimitBytes) bytes, and neither control nor direction characters.")
    }
    for text in [manifest.usageDescription, manifest.addUsageDescription] {
      guard text.translations.count <= translationLimit else {
        throw BrokerError(.refused, "The manifest translates a usage description into more than \(translationLimit) languages.")
      }
      for words in [text.defaultText].compactMap({ $0 }) + text.translations.values
      where words.utf8.count > descriptionLimitBytes || !words.isShowable(allowsLines: true) {
        throw BrokerError(
          .refused,
          "A usage description must have at most \(descriptionLimitBytes) bytes, and neither control nor direction characters.")
      }
    }
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7a, 0x41...0x5a, 0x30...0x39, 0x2e, 0x2d, 0x5f: true
    default: false
    }
  }
}
