import PhotoModel

extension ItemFacts {
  /// The greatest difference in seconds between the times of two files of one exposure: a phone
  /// saves them one after the other.
  private static let slackSeconds: Int64 = 10

  /// Whether a raw file and the photo with its name are from one exposure: camera or date must
  /// match, and neither may differ. A name alone is only a hint, because cameras reuse numbers.
  /// Without confirmation, an app that sees the photo does not get the raw file.
  package func isSameExposure(as other: ItemFacts) -> Bool {
    let answers = answers(other)
    return !answers.isEmpty && !answers.contains(false)
  }

  /// Whether camera or date differ from the photo's. The name of an edited version is proof enough
  /// without them, because programs drop both.
  package func contradicts(_ other: ItemFacts) -> Bool { answers(other).contains(false) }

  private func answers(_ other: ItemFacts) -> [Bool] {
    [hasSameCamera(as: other), isCaptured(with: other)].compactMap { $0 }
  }

  /// Nil if either camera is unknown.
  private func hasSameCamera(as other: ItemFacts) -> Bool? {
    guard let camera, let otherCamera = other.camera, !camera.isEmpty, !otherCamera.isEmpty else { return nil }
    return camera.lowercased() == otherCamera.lowercased()
  }

  /// Whether local times or moments match; nil if neither can be compared.
  private func isCaptured(with other: ItemFacts) -> Bool? {
    guard let capture, let otherCapture = other.capture, capture.origin != .partial, otherCapture.origin != .partial
    else { return nil }
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
  /// Seconds since 1970; nil if the offset is unknown.
  fileprivate var instant: Int64? {
    guard let offsetMinutes else { return nil }
    let (seconds, overflow) = localSeconds.subtractingReportingOverflow(Int64(offsetMinutes) * 60)
    return overflow ? nil : seconds
  }
}
