/// What a file's bytes are known by.
package struct ContentProof: Sendable, Equatable {
  /// SHA-256 of all of them.
  package var digest: [UInt8]?
  /// SHA-256 of the size, the first and the last bytes, where not all were read.
  package var endsDigest: [UInt8]?

  package init(digest: [UInt8]? = nil, endsDigest: [UInt8]? = nil) {
    self.digest = digest
    self.endsDigest = endsDigest
  }

  /// What may be worked out of a file to compare it with another one.
  package enum Kind: Sendable { case digest, endsDigest }
}
