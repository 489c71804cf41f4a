package import Catalogue
import Limits
package import PhotoModel

/// One grant as it is at this moment: the record, its selection, and what its view has been told.
///
/// Whoever holds one holds the truth: every admission and every release reads it, and an edit is one assignment here.
package final class GrantState {
  package var record: GrantRecord
  /// Survives limited to full to limited, and a pause (R4, R132).
  package var selection: Selection { didSet { selectionRevision &+= 1 } }
  /// Another one after each change of the selection.
  private(set) var selectionRevision: UInt64 = 0
  /// What `selection` will be when every commit under way is durable. Edits are worked out from this one.
  package var planned: Selection
  /// What was selected when its files went, and comes back into the selection with them
  /// (``AwayAsset``), unless somebody decides otherwise meanwhile.
  var away = AssetNumbers()
  /// Which albums the grant's policy shows, compiled when the policy last answered.
  package internal(set) var albums: AlbumAccess {
    didSet {
      albumBasis = nil
      // What each album shows stays as it is, and which of them are shown does not.
      begunSights.merge(albumSights) { _, whole in whole }
      albumSights = [:]
    }
  }
  /// What it shows of albums, by what a token was narrowed to; nil: all that the grant shows.
  private(set) var albumSights: [Set<AssetIdentifier>?: AlbumSights] = [:]
  /// The same where not all albums were looked at yet, or the policy answered otherwise since.
  var begunSights: [Set<AssetIdentifier>?: AlbumSights] = [:]
  /// Which policy said that, of all albums; nil where nobody did.
  package internal(set) var albumBasis: AlbumBasis?
  var feeds = GrantFeeds()
  /// The record that edits build on: what the disk has, less what was taken away and could not be written.
  var settled: GrantRecord
  /// Edits in the order of the decisions; the first one is on its way to the disk.
  var edits: [GrantEdit] = []
  /// What edits that wait have taken away already.
  var held: Selection?
  /// An edit of the selection did not reach the disk: the next one writes all of it.
  var isSelectionUnsaved = false
  /// An edit of the record did not reach the disk, which has another one.
  var isSettledUnsaved = false
  /// When the grant ends on the clock that nobody can set.
  var deadline: Duration?
  /// Whether somebody decided on it since the app was known here, also where nothing of that holds
  /// any more: the library's owners know of the app by that until one of them removes it.
  var isNoted = false
  /// True once the library or the app is gone: nothing brings the grant back.
  package internal(set) var isRemoved = false
  /// Attachments of tokens that were narrowed to some assets, by those; kept by their sessions.
  private var narrowed: [Set<AssetIdentifier>: [NarrowedAttachment]] = [:]

  private struct NarrowedAttachment {
    weak var attachment: Attachment?
  }

  package init(record: GrantRecord, selection: Selection, albums: AlbumAccess = .none) {
    self.record = record
    settled = record
    self.selection = selection
    planned = selection
    self.albums = albums
  }

  /// Call when the kind of view changes (limited, full, nothing), with the library's
  /// `presentSequence`: change tokens from before then ask the app to start anew.
  package func beginView(at sequence: UInt64) {
    record.viewGeneration &+= 1
    record.viewSince = sequence
  }

  /// Whether it gives access, or will once the decisions that wait for the disk are kept.
  var givesAccessNowOrSoon: Bool {
    if record.status.grantsAccess { return true }
    var coming = settled
    return edits.contains { edit in
      edit.change(&coming)
      return coming.status.grantsAccess
    }
  }

  /// Whether it was decided on, nothing of that holds, and nothing of it is on its way: the app asks anew.
  var isForgotten: Bool { isNoted && record.status == .notDetermined && edits.isEmpty }

  // MARK: Narrowed tokens

  /// Those that are attached somewhere.
  var narrowedAttachments: [Attachment] { narrowed.values.flatMap { $0.compactMap(\.attachment) } }

  /// What they were narrowed to, each once.
  var narrowings: [Narrowing] { narrowed.values.compactMap { $0.lazy.compactMap(\.attachment).first?.narrowing } }

  /// - Throws: `limitExceeded` where tokens that are attached were narrowed to as many other sets of assets as may be.
  func requireRoom(for narrowing: Narrowing) throws(BrokerError) {
    guard narrowed[narrowing.identifiers] == nil, narrowed.count >= BrokerLimits.narrowingsPerGrant else { return }
    narrowed = narrowed.filter { $0.value.contains { $0.attachment != nil } }
    guard narrowed.count >= BrokerLimits.narrowingsPerGrant else { return }
    throw .photos(
      .limitExceeded,
      "Tokens that are narrowed to \(BrokerLimits.narrowingsPerGrant) different sets of assets are attached; close a connection of one."
    )
  }

  /// Those of them that show any of these assets.
  func attachments(showing assets: Selection, of catalogue: Catalogue) -> [Attachment] {
    narrowedAttachments.filter { attachment in
      attachment.narrowing.map { catalogue.count(of: catalogue.intersection($0.selection, assets)) > 0 } ?? true
    }
  }

  func note(_ attachment: Attachment, of narrowing: Narrowing) {
    var attachments = narrowed[narrowing.identifiers, default: []]
    attachments.removeAll { $0.attachment == nil }
    narrowed[narrowing.identifiers] = attachments + [NarrowedAttachment(attachment: attachment)]
  }

  // MARK: What albums show

  /// All albums were looked at.
  /// - Parameter narrowed: What the token was narrowed to.
  func keep(_ sights: AlbumSights, for narrowed: Set<AssetIdentifier>?) {
    begunSights[narrowed] = nil
    albumSights[narrowed] = sights
    guard albumSights.count > BrokerLimits.narrowingsPerGrant + 1 else { return }
    let present = Set(narrowings.map(\.identifiers))
    albumSights = albumSights.filter { $0.key.map(present.contains) ?? true }
    begunSights = begunSights.filter { $0.key.map(present.contains) ?? true }
  }

  /// Whether something is accessible at this moment.
  package func isInForce(_ environment: any Environment) -> Bool {
    record.status.grantsAccess && !record.isPaused && !isRemoved && !hasEnded(environment)
  }

  /// Whether the end that somebody set has come, by the wall clock or by the one that cannot be set back.
  package func hasEnded(_ environment: any Environment) -> Bool {
    guard let expires = record.expires else { return false }
    if environment.now >= expires { return true }
    return deadline.map { environment.monotonic >= $0 } ?? false
  }

  /// The status as it reads at this moment: a grant that ended reads as if whoever set the end had ended it then (R4).
  package func status(_ environment: any Environment) -> AuthorizationStatus {
    guard record.status.grantsAccess else { return record.status }
    guard hasEnded(environment) else { return record.status }
    return record.endSetBy == .administrator ? .restricted : .denied
  }

  /// Makes `next` hold from now on. The epoch never falls; a view of another kind begins where the kind differs.
  func put(_ next: GrantRecord, at sequence: UInt64, _ environment: any Environment) {
    let before = record
    record = next
    record.epoch = max(before.epoch, next.epoch)
    record.viewGeneration = before.viewGeneration
    record.viewSince = before.viewSince
    if before.status != next.status { beginView(at: sequence) }
    if before.expires != next.expires || (next.expires != nil && deadline == nil) {
      setDeadline(environment, now: environment.now)
    }
  }

  func setDeadline(_ environment: any Environment, now: Timestamp) {
    deadline = record.expires.map { end in
      let left = end.microseconds.subtractingReportingOverflow(now.microseconds)
      return environment.monotonic + .microseconds(left.overflow ? .max / 4 : min(left.partialValue, .max / 4))
    }
  }

  /// What the grant shows now; nil where it shows nothing. `subset` is what a token was narrowed to.
  package func view(subset: Selection? = nil) -> View? {
    guard record.key.level == .readWrite, !record.isPaused else { return nil }
    return switch record.status {
    case .authorized: .full(subset: subset)
    case .limited: .limited(selection, subset: subset)
    case .notDetermined, .restricted, .denied: nil
    }
  }
}
