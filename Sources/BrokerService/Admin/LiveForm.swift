import Broker
import BrokerInterface
import Catalogue
import PhotoModel

/// The conditions of live selections on the wire.
enum LiveForm {
  /// - Parameter isLive: the call's parameter; the result is nil unless it is true.
  /// - Throws: `refused` for a selector that a live selection cannot have.
  static func live(_ selector: Admin.Selector?, _ isLive: Bool?) throws(CallFailure) -> LiveSelection? {
    guard isLive == true else { return nil }
    guard let selector, selector != Admin.Selector(), selector.identifiers == nil, selector.filename == nil,
      selector.hidden == nil, selector.neverShare == nil, selector.last == nil, selector.all == nil,
      selector.favorite != false
    else {
      throw .refused("A live selection has an album, a folder, dates, a type or favourites, and nothing else.")
    }
    var live = LiveSelection(favourites: selector.favorite ?? false)
    live.album = try selector.album.map { text throws(CallFailure) in try AdminParameters.album(text) }
    live.createdFrom = selector.createdFrom.map { Timestamp(microseconds: $0) }
    live.createdBefore = selector.createdBefore.map { Timestamp(microseconds: $0) }
    if let from = live.createdFrom, let before = live.createdBefore, from >= before {
      throw .refused("No photo can ever fit: the first date is not before the last one.")
    }
    live.mediaType = try CallFailure.named(selector.mediaType, in: "selector.mediaType", by: \MediaType.name)
    if let glob = selector.glob {
      _ = try Glob(glob)
      let folder = glob.hasSuffix("/**") ? String(glob.dropLast(3)) : ""
      let steps = folder.split(separator: "/", omittingEmptySubsequences: false)
      guard !steps.contains(where: { ["", ".", ".."].contains($0) }), !folder.contains(where: "*?".contains)
      else { throw .refused("A live selection takes a whole folder, such as --glob 'trips/2026/**'.") }
      live.folder = folder
    }
    return live
  }

  /// The same for a list, which must have one selector.
  static func live(among selectors: [Admin.Selector]?, _ isLive: Bool?) throws(CallFailure) -> LiveSelection? {
    try live(selectors?.count == 1 ? selectors?.first : nil, isLive)
  }

  static func shown(_ view: GrantView) -> Admin.LiveSelection? {
    view.record.live.map { live in
      let selector = Admin.Selector(
        glob: live.folder.map { $0 + "/**" }, album: live.album?.description,
        createdFrom: live.createdFrom?.microseconds, createdBefore: live.createdBefore?.microseconds,
        mediaType: live.mediaType?.name, favorite: live.favourites ? true : nil)
      return Admin.LiveSelection(
        conditions: view.showsConditions ? selector : nil, albumTitle: view.showsConditions ? view.albumTitle : nil,
        excluded: Int64(live.excluded.count))
    }
  }
}
