import Limits

/// The limits of one worker; the defaults are ``MediaLimits``.
package struct MediaAllowance: Sendable {
  package var factsDeadline = MediaLimits.factsDeadline
  package var thumbnailDeadline = MediaLimits.thumbnailDeadline
  package var thumbnailBytes = MediaLimits.thumbnailBytes
  package var previewDeadline = MediaLimits.previewDeadline
  package var previewBytes = MediaLimits.previewBytes
  /// The time for which an unwanted picture is still awaited, because restarting the worker takes
  /// time, too.
  package var patience = Duration.seconds(1)

  package init() {}
}
