package import UnixSocket

/// An upright picture in sRGB without metadata, in a sealed memory file.
package struct Thumbnail: ~Copyable, Sendable {
  /// Sealed, though open for writing: pass a read-only reopened descriptor to apps.
  package let descriptor: FileDescriptor
  package let byteCount: Int
  package let width: Int
  package let height: Int
  package let encoding: ThumbnailRequest.Encoding
}
