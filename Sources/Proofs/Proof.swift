#if PROOFS
  import Glibc
#endif

/// A deliberate mistake of a test build, so that `scripts/prove-checks` can check that the tests
/// detect it.
///
/// The environment variable `PHOTOBROKER_PROOF` names the mistake. Only a build with `-D PROOFS`
/// reads it; in every other build the compiler removes the question.
public enum Proof: CaseIterable, Sendable {
  /// The named check is left out.
  case epochAtRelease, epochOfNarrowedTokens, grantAtRelease, grantAtAdmission, verbsOfToken, levelOfGrant,
    offerOfLibrary
  case macOfToken, userOfToken
  /// A count includes hidden photos.
  case unfilteredCount
  /// A hidden photo takes 20 us longer to look up than an absent one.
  case slowHiddenPhoto
  /// A change of albums waits for the album policies of all grants.
  case waitForAllPolicies

  #if PROOFS
    private static let chosen = getenv("PHOTOBROKER_PROOF").map { String(cString: $0) }

    /// Whether this run makes the mistake.
    public var isMade: Bool { Self.chosen.map { $0 == "\(self)" } ?? false }
  #else
    /// Whether this run makes the mistake.
    @inlinable public var isMade: Bool { false }
  #endif

  /// Waits 20 us if this run makes the mistake and the condition holds.
  /// - Returns: false.
  @inlinable public func delay(if condition: @autoclosure () -> Bool) -> Bool {
    guard isMade, condition() else { return false }
    let end = ContinuousClock.now.advanced(by: .microseconds(20))
    while ContinuousClock.now < end {}
    return false
  }
}
