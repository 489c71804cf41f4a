import Limits

/// Checks of a manifest before any person sees its words.
package enum ManifestRules {
  /// - Throws: `refused` with the fault.
  package static func check(_ manifest: Manifest) throws(BrokerError) {
    let identifier = manifest.identifier.utf8
    guard (1...BrokerLimits.appNameBytes).contains(identifier.count), identifier.allSatisfy(isIdentifierByte) else {
      throw .refused(
        "The manifest's identifier must have 1 to \(BrokerLimits.appNameBytes) of a-z, A-Z, 0-9, dot, hyphen, "
          + "underscore.")
    }
    guard (1...BrokerLimits.appNameBytes).contains(manifest.displayName.utf8.count),
      manifest.displayName.isShowableAsName
    else {
      throw .refused(
        "The manifest's name must have 1 to \(BrokerLimits.appNameBytes) bytes, something that can be seen, and "
          + "neither control, direction nor hidden characters.")
    }
    guard !manifest.displayName.isNameOfBroker else {
      throw .refused("The manifest's name is the broker's own; people would take the app for it. Choose another one.")
    }
    for text in [manifest.usageDescription, manifest.addUsageDescription] {
      guard text.translations.count <= BrokerLimits.usageDescriptionLanguages else {
        throw .refused(
          "The manifest translates a usage description into more than \(BrokerLimits.usageDescriptionLanguages) "
            + "languages.")
      }
      for words in [text.defaultText].compactMap({ $0 }) + text.translations.values
      where words.utf8.count > BrokerLimits.usageDescriptionBytes || !words.isShowable(allowsLines: true) {
        throw .refused(
          "A usage description must have at most \(BrokerLimits.usageDescriptionBytes) bytes, and neither control nor "
            + "direction characters.")
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
