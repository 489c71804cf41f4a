import Limits

/// What one media worker is allowed; the defaults are ``MediaLimits``.
package struct MediaAllowance: Sendable {
  package var factsDeadline = MediaLimits.factsDeadline
  package var thumbnailDeadline = MediaLimits.thumbnailDeadline
  package var thumbnailBytes = MediaLimits.thumbnailBytes
  package var previewDeadline = MediaLimits.previewDeadline
  package var previewBytes = MediaLimits.previewBytes
  /// How long a picture is waited for that nobody wants any more: to start a worker anew takes a while too.
  package var patience = Duration.seconds(1)

  package init() {}
}
