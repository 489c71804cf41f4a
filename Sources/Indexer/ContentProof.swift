/// Digests that identify a file's content.
package struct ContentProof: Sendable, Equatable {
  /// SHA-256 of all bytes.
  package var digest: [UInt8]?
  /// SHA-256 of the size, the first and the last bytes, for files that were not read completely.
  package var endsDigest: [UInt8]?

  package init(digest: [UInt8]? = nil, endsDigest: [UInt8]? = nil) {
    self.digest = digest
    self.endsDigest = endsDigest
  }

  /// The digests that can be computed to compare two files.
  package enum Kind: Sendable { case digest, endsDigest }
}
