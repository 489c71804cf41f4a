extension CleaningError {
  static func missing(cause: Int32) -> Self {
    .init(
      .unavailable,
      "photobroker-clean is not installed, so photos cannot leave without their place or captions. Install it.",
      cause: cause)
  }
  static func failing(_ reason: String) -> Self {
    .init(.unavailable, "The worker that cleans photos does not run: \(reason) See its last error lines.")
  }
  static func descriptors(cause: Int32) -> Self {
    .init(.unavailable, "No descriptor is left for the worker. Raise the limit of open files.", cause: cause)
  }
  static var busy: Self {
    .init(.busy, "The worker that cleans photos was busy with other files until the timeout. Try again later.")
  }
  static var stopped: Self { .init(.stopped, "The library's cleaning worker was stopped.") }
}
