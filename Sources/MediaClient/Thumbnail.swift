package import UnixSocket

/// An upright picture in sRGB without metadata, in a memory file that nobody can change any more.
package struct Thumbnail: ~Copyable, Sendable {
  /// Sealed; still open for writing in name, so hand a read-only reopening to apps.
  package let descriptor: FileDescriptor
  package let byteCount: Int
  package let width: Int
  package let height: Int
  package let encoding: ThumbnailRequest.Encoding
}
