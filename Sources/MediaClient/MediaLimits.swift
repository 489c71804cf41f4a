/// How long and how much the media worker may take.
package struct MediaLimits: Sendable {
  /// For one file's facts, waiting for other files and starting the worker included.
  package var factsDeadline: Duration = .seconds(10)
  /// For one thumbnail, the same included.
  package var thumbnailDeadline: Duration = .seconds(20)
  /// The largest thumbnail that is taken over.
  package var thumbnailBytes = 16 << 20
  /// For one preview of a video; the worker itself ends earlier and gives what it has.
  package var previewDeadline: Duration = .seconds(75)
  /// The largest preview that is taken over.
  package var previewBytes = 24 << 20

  package init() {}
}
