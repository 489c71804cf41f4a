package import Catalogue
import Limits
package import PhotoModel

/// One grant in its present state: its record, its selection, and the state of its view.
///
/// Holders share this object, so that every call and every reply reads the present state, and an
/// edit is one assignment.
package final class GrantState {
  package var record: GrantRecord
  /// Kept while the grant is fully authorized or paused (R4, R132).
  package var selection: Selection { didSet { selectionRevision &+= 1 } }
  private(set) var selectionRevision: UInt64 = 0
  /// The selection after all running commits. Edits are computed from this one.
  package var planned: Selection
  /// The albums that the grant's policy shows, from its latest answer.
  package internal(set) var albums: AlbumAccess {
    didSet {
      albumBasis = nil
      // The contents of each album stay valid; only the list of visible albums changes.
      begunVisibleAlbums.merge(visibleAlbums) { _, whole in whole }
      visibleAlbums = [:]
    }
  }
  /// Complete album contents as seen through each attenuation; nil: the whole grant's.
  private(set) var visibleAlbums: [Attenuation.Key?: VisibleAlbums] = [:]
  /// The same, incomplete: some albums are not computed yet, or the policy's answer changed.
  var begunVisibleAlbums: [Attenuation.Key?: VisibleAlbums] = [:]
  /// The question that ``albums`` answers; nil if no policy answered.
  package internal(set) var albumBasis: AlbumBasis?
  var feeds = GrantFeeds()
  /// The record that edits build on: the stored one, minus restrictions whose commit failed.
  var settled: GrantRecord
  /// Pending edits in the order of the decisions; the first is being committed.
  var edits: [GrantEdit] = []
  /// Assets that pending edits have already hidden.
  var held: Selection?
  /// Whether an edit of the selection failed to commit; the next one writes all of it.
  var isSelectionUnsaved = false
  /// Whether the stored record differs, because an edit failed to commit.
  var isSettledUnsaved = false
  /// The grant's end on the monotonic clock.
  var deadline: Duration?
  /// Whether the life cycle is over for which a grant was given once.
  var isRunOver = false
  /// Whether there ever was a decision, even one that has ended. The library's owners know the app
  /// by it until one of them removes it.
  var isNoted = false
  /// True once the library or the app is gone; the grant then stays without effect.
  package internal(set) var isRemoved = false
  /// Attachments of attenuated tokens, by the assets to which they are attenuated. Their sessions
  /// own them.
  private var narrowed: [Attenuation.Key: [NarrowedAttachment]] = [:]
  /// Attenuations to albums and dates. They stay after their last attachment while there is room, so
  /// that change tokens stay valid.
  private(set) var live: [Attenuation.Key: Attenuation] = [:]

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

  /// Begins a new view, on a change between limited, full and no access or of the withheld facts.
  /// Older change tokens become invalid.
  /// - Parameter sequence: the library's `presentSequence`.
  package func beginView(at sequence: UInt64) {
    record.viewGeneration &+= 1
    record.viewSince = sequence
  }

  /// Whether it gives access, or will after the pending edits.
  var givesAccessNowOrSoon: Bool {
    if record.status.grantsAccess { return true }
    var coming = settled
    return edits.contains { edit in
      edit.change(&coming)
      return coming.status.grantsAccess
    }
  }

  /// Whether its decision has ended and no edit is pending: the app has to ask again.
  var isForgotten: Bool { isNoted && record.status == .notDetermined && edits.isEmpty }

  // MARK: Attenuated tokens

  var narrowedAttachments: [Attachment] { narrowed.values.flatMap { $0.compactMap(\.attachment) } }

  var attenuations: [Attenuation] { narrowed.values.compactMap { $0.lazy.compactMap(\.attachment).first?.attenuation } }

  /// - Throws: `limitExceeded` if the attached tokens already have `BrokerLimits.narrowingsPerGrant` different
  ///   sets of assets, or ``liveLimit`` of albums and dates.
  func requireRoom(for key: Attenuation.Key) throws(BrokerError) {
    let limit = key.isLive ? Self.liveLimit : BrokerLimits.narrowingsPerGrant
    var isFull: Bool { (key.isLive ? live.count : narrowed.count) >= limit }
    guard narrowed[key] == nil, isFull else { return }
    narrowed = narrowed.filter { $0.value.contains { $0.attachment != nil } }
    live = live.filter { narrowed[$0.key] != nil }
    guard isFull else { return }
    throw .photos(
      .limitExceeded,
      "Tokens for \(limit) different sets of assets are in use, which is the limit; close a connection of one.")
  }

  /// Each change of the library is compared with each of these sets.
  private static let liveLimit = 8

  func attachments(showing assets: Selection, of catalogue: Catalogue) -> [Attachment] {
    narrowedAttachments.filter { attachment in
      attachment.attenuation.map { catalogue.count(of: catalogue.intersection($0.selection, assets)) > 0 } ?? true
    }
  }

  func note(_ attachment: Attachment, of attenuation: Attenuation) {
    var attachments = narrowed[attenuation.key, default: []]
    attachments.removeAll { $0.attachment == nil }
    if attenuation.key.isLive { live[attenuation.key] = attenuation }
    narrowed[attenuation.key] = attachments + [NarrowedAttachment(attachment: attachment)]
  }

  // MARK: Album contents

  /// Stores complete album contents.
  /// - Parameter narrowed: the assets to which the token is attenuated.
  func keep(_ albums: VisibleAlbums, for narrowed: Attenuation.Key?) {
    begunVisibleAlbums[narrowed] = nil
    visibleAlbums[narrowed] = albums
    guard visibleAlbums.count > BrokerLimits.narrowingsPerGrant + 1 else { return }
    let present = Set(attenuations.map(\.key))
    visibleAlbums = visibleAlbums.filter { $0.key.map(present.contains) ?? true }
    begunVisibleAlbums = begunVisibleAlbums.filter { $0.key.map(present.contains) ?? true }
  }

  /// Whether the grant gives access at this moment.
  package func isInForce(_ environment: any Environment) -> Bool {
    record.status.grantsAccess && !record.isPaused && !isRemoved && !hasEnded(environment)
  }

  /// Whether the grant gives access that ends by itself.
  var mayEnd: Bool { record.status.grantsAccess && (record.expires != nil || record.isOnce) }

  /// Whether the grant's end has come: its life cycle's, or a time on either clock.
  package func hasEnded(_ environment: any Environment) -> Bool {
    if record.isOnce, isRunOver { return true }
    guard let expires = record.expires else { return false }
    if environment.now >= expires { return true }
    return deadline.map { environment.monotonic >= $0 } ?? false
  }

  /// The status at this moment. After its end the app may ask again, unless an administrator set the
  /// end (R4, R160).
  package func status(_ environment: any Environment) -> AuthorizationStatus {
    guard record.status.grantsAccess else { return record.status }
    guard hasEnded(environment) else { return record.status }
    return record.endSetBy == .administrator ? .restricted : .notDetermined
  }

  /// Puts `next` in force. The epoch never falls, and a change of status begins a new view.
  func put(_ next: GrantRecord, at sequence: UInt64, _ environment: any Environment) {
    let before = record
    record = next
    record.epoch = max(before.epoch, next.epoch)
    record.viewGeneration = before.viewGeneration
    record.viewSince = before.viewSince
    if next.isOnce, !before.isOnce { isRunOver = false }
    if before.isOtherView(than: next) { beginView(at: sequence) }
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

  /// The present view of the grant; nil without access. `subset` is a token's attenuation.
  package func view(subset: Selection? = nil) -> View? {
    record.isPaused ? nil : viewUnlessPaused(subset: subset)
  }

  /// The view of the grant, which a pause does not change.
  func viewUnlessPaused(subset: Selection? = nil) -> View? {
    guard record.key.level == .readWrite else { return nil }
    return switch record.status {
    case .authorized: .full(subset: subset)
    case .limited: .limited(selection, subset: subset)
    case .notDetermined, .restricted, .denied: nil
    }
  }
}
