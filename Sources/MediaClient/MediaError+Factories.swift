extension MediaError {
  static func missing(cause: Int32) -> Self {
    .init(
      .unavailable,
      """
      The media workers photobroker-media and photobroker-video are not both installed, so there are no thumbnails, \
      dates or places. Install them, or build them with the packages that scripts/debian-packages lists for them \
      (libexiv2-dev, libvips-dev, libavformat-dev, libavcodec-dev, libavutil-dev, libswscale-dev, libseccomp-dev).
      """,
      cause: cause)
  }
  static func failing(_ reason: String, retryAfter: Duration?) -> Self {
    .init(
      .unavailable, "The media worker does not run: \(reason) See its last error lines in the status.",
      retryAfter: retryAfter)
  }
  static var busy: Self {
    .init(.busy, "The media worker was busy with other files until the timeout. Try again later.")
  }
  static func poison(_ what: String, isLate: Bool = false) -> Self {
    .init(.poison, "The file \(what). The worker restarts for the next file.", isLate: isLate)
  }
  static func refused(_ problem: MediaProblem) -> Self {
    .init(.refused, "There is no thumbnail of this file: \(problem.explanation).", problem: problem)
  }
  static var badSize: Self {
    .init(.invalidRequest, "A thumbnail is 1 to \(ThumbnailRequest.maximumPixels) pixels wide and high.")
  }
  static func descriptors(cause: Int32) -> Self {
    .init(
      .unavailable, "No descriptor or memory is left for a thumbnail. Raise the limit of open files or memory.",
      cause: cause)
  }
  static var stopped: Self { .init(.stopped, "The library's media worker was stopped.") }
}
