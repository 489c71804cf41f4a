extension ItemFacts {
  /// Seconds between the times that a camera may note in the two files of one exposure: a phone
  /// saves them one after the other.
  private static let slackSeconds: Int64 = 10

  /// Whether a raw file and the photo of its name are of one exposure: their cameras or their dates
  /// say so, and neither contradicts that. Counters of cameras begin again, so that equal names are
  /// a hint; where nothing confirms it, whoever may see the photo does not get what may be another
  /// one.
  package func isSameExposure(as other: ItemFacts) -> Bool {
    let answers = [hasSameCamera(as: other), isCaptured(with: other)].compactMap { $0 }
    return !answers.isEmpty && answers.allSatisfy { $0 }
  }

  /// Nil where one of them does not say.
  private func hasSameCamera(as other: ItemFacts) -> Bool? {
    guard let camera, let otherCamera = other.camera, !camera.isEmpty, !otherCamera.isEmpty else { return nil }
    return camera.lowercased() == otherCamera.lowercased()
  }

  /// The same time on the camera's clock or on that of the world; nil where neither can be compared.
  private func isCaptured(with other: ItemFacts) -> Bool? {
    guard let capture, let otherCapture = other.capture else { return nil }
    func isNear(_ one: Int64, _ two: Int64) -> Bool {
      let (difference, overflow) = one.subtractingReportingOverflow(two)
      return !overflow && difference.magnitude <= UInt64(Self.slackSeconds)
    }
    if capture.isLocal, otherCapture.isLocal, isNear(capture.localSeconds, otherCapture.localSeconds) { return true }
    guard let instant = capture.instant, let otherInstant = otherCapture.instant else {
      return capture.isLocal && otherCapture.isLocal ? false : nil
    }
    return isNear(instant, otherInstant)
  }
}

extension ItemFacts.Capture {
  /// Seconds since 1970; nil where the offset is not known.
  fileprivate var instant: Int64? {
    guard let offsetMinutes else { return nil }
    let (seconds, overflow) = localSeconds.subtractingReportingOverflow(Int64(offsetMinutes) * 60)
    return overflow ? nil : seconds
  }
}
