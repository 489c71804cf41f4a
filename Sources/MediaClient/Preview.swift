package import UnixSocket

/// The beginning of a video as a small WebM without metadata, in a sealed memory file.
package struct Preview: ~Copyable, Sendable {
  /// Sealed, though open for writing: pass on a read-only reopened descriptor.
  package let descriptor: FileDescriptor
  package let byteCount: Int
  package let width: Int
  package let height: Int
  package let milliseconds: Int
}

/// The wanted form of a preview.
package struct PreviewRequest: Sendable, Hashable {
  /// The longest preview in seconds.
  package static let maximumSeconds = 60

  /// The longest edge in pixels, at most `ThumbnailRequest.maximumPixels`.
  package var pixels: Int
  /// Length in seconds from the beginning; a video that is slow to decode may give less.
  package var seconds: Int

  package init(pixels: Int = 640, seconds: Int = PreviewRequest.maximumSeconds) {
    self.pixels = pixels
    self.seconds = seconds
  }

  var isValid: Bool {
    (1...ThumbnailRequest.maximumPixels).contains(pixels) && (1...Self.maximumSeconds).contains(seconds)
  }
}
