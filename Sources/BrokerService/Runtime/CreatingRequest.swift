import Broker

/// A running change request that creates assets. Used on the loop only.
final class CreatingRequest {
  let steps: [ChangeStep]
  let library: LibraryState
  let grant: GrantState
  let attenuation: Attenuation?
  let app: AppIdentifier
  let user: UInt32
  let dryRun: Bool
  /// Whether its files lie in a folder of their own.
  let hasFolder: Bool
  /// The reason for which it may not continue, checked before each step that leaves something
  /// behind.
  let refusal: () -> BrokerError?
  /// The grant whose selection the new assets join.
  let joining: () -> GrantState?

  init(
    steps: [ChangeStep], library: LibraryState, grant: GrantState, attenuation: Attenuation?, app: AppIdentifier,
    user: UInt32, dryRun: Bool,
    hasFolder: Bool, refusal: @escaping () -> BrokerError?, joining: @escaping () -> GrantState?
  ) {
    self.steps = steps
    self.library = library
    self.grant = grant
    self.attenuation = attenuation
    self.app = app
    self.user = user
    self.dryRun = dryRun
    self.hasFolder = hasFolder
    self.refusal = refusal
    self.joining = joining
  }
}
