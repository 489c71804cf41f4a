package import UnixSocket

/// The beginning of a video as a small WebM without metadata, in a memory file that nobody can change any more.
package struct Preview: ~Copyable, Sendable {
  /// Sealed; still open for writing in name, so hand a read-only reopening on.
  package let descriptor: FileDescriptor
  package let byteCount: Int
  package let width: Int
  package let height: Int
  package let milliseconds: Int
}

/// What a preview is to be like.
package struct PreviewRequest: Sendable, Hashable {
  /// The longest preview that is made.
  package static let maximumSeconds = 60

  /// The longest edge in pixels, at most `ThumbnailRequest.maximumPixels`.
  package var pixels: Int
  /// Only the beginning of the video; of a video that is slow to decode it may be less.
  package var seconds: Int

  package init(pixels: Int = 640, seconds: Int = PreviewRequest.maximumSeconds) {
    self.pixels = pixels
    self.seconds = seconds
  }

  var isValid: Bool {
    (1...ThumbnailRequest.maximumPixels).contains(pixels) && (1...Self.maximumSeconds).contains(seconds)
  }
}
