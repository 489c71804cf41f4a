package import PhotoModel

/// One file of an asset, as the storage plugin named it.
package struct ResourceRecord: Sendable, Equatable {
  package var role: ResourceRole
  /// The storage plugin's path or key; for a folder the path below its root.
  package var locator: String
  package var filename: String
  package var contentType: String
  package var size: Int64
  /// Changes with the bytes; opaque.
  package var contentVersion: String
  /// Identity that survives moves (device, inode, birth time); opaque. Nil: the backend has none.
  package var identityHint: String?
  /// SHA-256 of the bytes; nil until it is needed, and for sidecars.
  package var digest: [UInt8]?
  /// SHA-256 of the size, the first and the last bytes, by which a remote file is recognized
  /// without reading all of it. Nil if ``digest`` was computed instead, or the storage has hashes.
  package var endsDigest: [UInt8]?
  /// Empty for other files than originals, and for files whose facts were not read.
  package var picture: PictureFacts

  package init(
    role: ResourceRole, locator: String, filename: String, contentType: String, size: Int64, contentVersion: String,
    identityHint: String?, digest: [UInt8]?, endsDigest: [UInt8]? = nil,
    picture: PictureFacts = PictureFacts()
  ) {
    self.role = role
    self.locator = locator
    self.filename = filename
    self.contentType = contentType
    self.size = size
    self.contentVersion = contentVersion
    self.identityHint = identityHint
    self.digest = digest
    self.endsDigest = endsDigest
    self.picture = picture
  }
}
