import Catalogue
import Limits
import PhotoModel

/// The broker, as its libraries need it: the grants that a change of content concerns, limits across
/// libraries, and the service around them.
protocol LibraryBroker: AnyObject {
  /// Queue of owners' decisions about content in all libraries, one of each owner's at a time.
  var ownersTurns: FairQueue { get }
  /// Whether a user declines all offers of an owner.
  func declines(_ user: UInt32, of owner: UInt32) -> Bool
  /// Finds the grants that show any of these assets, before the assets become invisible. The result
  /// makes prepared replies under these grants stale; other grants must not notice.
  func beforeTaking(
    _ taken: [AssetNumber], fromLimited: [AssetNumber], of assets: LibraryAssets
  ) -> () -> Void
  /// The limited grants that select an asset. A removed asset leaves all selections, but the log
  /// must name them.
  func grants(selecting asset: AssetNumber, of assets: LibraryAssets) -> [GrantKey]
  /// Removes assets from a grant's selection at once, and makes prepared replies about them stale.
  func deselect(_ assets: Selection, of grant: GrantState, in library: LibraryAssets)
  /// The grants of a library with a decision.
  func grants(in library: LibraryName) -> [GrantState]
  /// Makes replies to the holders of an attenuated token stale.
  func losesAssets(_ attenuation: Attenuation, of grant: GrantState)
  /// The decider to record for an app's changes; nil for a removed app.
  func changer(_ app: AppIdentifier) -> Decider?
  /// Counts an app's edits of albums that it did not make.
  /// - Throws: `limitExceeded` for an app with too many such edits.
  func noteAlbumChanges(by app: AppIdentifier, count: Int, takings: Int) throws(BrokerError)
  /// The setting to store with a restriction that no grant records.
  func narrowingMark() -> StoreChange
  /// Announces that files which a scan held back may become assets.
  func filesReleased(in library: LibraryName)
  /// Announces new entries of the log, so that they are processed soon for every grant.
  func logGrew(in library: LibraryName)
  /// Calls `piece` until it returns false, and may serve others in between.
  func inPieces(_ piece: @escaping () -> Bool)
}

extension Broker: LibraryBroker {
  func declines(_ user: UInt32, of owner: UInt32) -> Bool { declines[user].contains(owner) }

  func beforeTaking(
    _ taken: [AssetNumber], fromLimited: [AssetNumber], of assets: LibraryAssets
  ) -> () -> Void {
    let catalogue = assets.catalogue
    let (taken, hidden) = (catalogue.selection(of: taken), catalogue.selection(of: fromLimited))
    let losing =
      grants(showing: taken, of: assets).map { ($0, $0.attachments(showing: taken, of: catalogue)) }
      + limitedGrants(showing: hidden, of: assets).map { ($0, $0.attachments(showing: hidden, of: catalogue)) }
    return { [self] in for (grant, attachments) in losing { _ = editor.invalidate(grant, narrowed: attachments) } }
  }

  func grants(selecting asset: AssetNumber, of assets: LibraryAssets) -> [GrantKey] {
    grants(in: assets.library).filter {
      $0.record.status == .limited && assets.catalogue.contains(asset, in: $0.selection)
    }.map(\.record.key)
  }

  func deselect(_ left: Selection, of grant: GrantState, in assets: LibraryAssets) {
    let catalogue = assets.catalogue
    let isShown =
      grant.record.status == .limited && grant.view(subset: left).map { catalogue.count(in: $0) > 0 } ?? false
    let attachments = isShown ? grant.attachments(showing: left, of: catalogue) : []
    grant.planned = catalogue.difference(grant.planned, left)
    grant.selection = catalogue.difference(grant.selection, left)
    if isShown { _ = editor.invalidate(grant, narrowed: attachments) }
  }

  func losesAssets(_ attenuation: Attenuation, of grant: GrantState) {
    _ = editor.invalidate(
      grant.narrowedAttachments.filter { $0.attenuation === attenuation }, of: grant, at: editor.nextEpoch())
  }

  func changer(_ app: AppIdentifier) -> Decider? { apps[app]?.decider }

  func noteAlbumChanges(by identifier: AppIdentifier, count: Int, takings: Int) throws(BrokerError) {
    guard let app = apps[identifier] else { return }
    let (user, now) = (app.record.uid, environment.monotonic)
    guard albumTakings[user, default: .ofDay].allows(takings, of: BrokerLimits.albumTakingsPerUser, at: now),
      app.noteAlbumChanges(count, takings: takings, at: now)
    else { throw .changesAlbumsTooOften }
    if takings > 0 { albumTakings[user, default: .ofDay].note(takings, at: now) }
  }

  func filesReleased(in library: LibraryName) { delegate?.filesReleased(in: library) }

  func logGrew(in library: LibraryName) { delegate?.logGrew(in: library) }

  func inPieces(_ piece: @escaping () -> Bool) {
    if let delegate { delegate.inPieces(piece) } else { while piece() {} }
  }
}
