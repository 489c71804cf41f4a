extension AppManifest {
  /// Makes an identifier for a program without one, such as `io.photobroker.run.Viewer.adfe813dd2e5792b`.
  ///
  /// - Parameters:
  ///   - name: the name that people see. Its first 80 characters are kept as far as an identifier can
  ///     have them.
  ///   - key: the text that tells programs of one name apart, such as a path. Its hash (FNV-1a) gives no
  ///     security: every identifier is a claim.
  package static func identifier(in domain: String, name: String, key: String) -> String {
    let word = name.unicodeScalars.prefix(80).map { scalar in
      let isAllowed =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar || "._-".unicodeScalars.contains(scalar))
      return isAllowed ? Character(scalar) : "-"
    }
    let hash = key.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\(domain).\(String(word)).\(String(hash, radix: 16))"
  }
}
