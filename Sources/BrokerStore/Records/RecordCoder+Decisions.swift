import Broker
import Catalogue
import PhotoModel

extension RecordCoder {
  func object(_ object: DecisionChange.Object?) throws(Damaged) -> DecisionChange.Object {
    switch object {
    case nil: return try readObject()
    case .grant(let grant): _ = (try integer(1), try change(grant, rights))
    case .library(let library): _ = (try integer(2), try change(library, libraryRights))
    case .rule(let rule): _ = (try integer(3), try change(rule, self.rule))
    case .administrators(let named): _ = (try integer(4), try change(named, users))
    case .album(let album): _ = (try integer(5), try change(album, facts))
    case .asset(let asset): _ = (try integer(11), try change(asset, assetFacts))
    case .marks: _ = try integer(6)
    case .addedLibrary: _ = try integer(7)
    case .addedApp: _ = try integer(8)
    case .token(let accessor): _ = (try integer(9), try identifier(accessor))
    case .unknownMarks: _ = try integer(10)
    }
    return try known(object)
  }

  private func readObject() throws(Damaged) -> DecisionChange.Object {
    switch try integer(nil as Int?) {
    case 1: .grant(try change(nil, rights))
    case 2: .library(try change(nil, libraryRights))
    case 3: .rule(try change(nil, rule))
    case 4: .administrators(try change(nil, users))
    case 5: .album(try change(nil, facts))
    case 11: .asset(try change(nil, assetFacts))
    case 6: .marks
    case 7: .addedLibrary
    case 8: .addedApp
    case 9: .token(try identifier(nil))
    case 10: .unknownMarks
    default: throw Damaged()
    }
  }

  func assets(_ changes: [AssetChange]?) throws(Damaged) -> [AssetChange] { try list(changes, assetChange) }

  private func assetChange(_ change: AssetChange?) throws(Damaged) -> AssetChange {
    AssetChange(
      mark: try numbered(change?.mark), added: try list(change?.added, chunk),
      removed: try list(change?.removed, chunk), places: try list(change?.places, integer))
  }

  private func chunk(_ chunk: SelectionChunk?) throws(Damaged) -> SelectionChunk {
    SelectionChunk(index: try integer(chunk?.index), bytes: try bytes(chunk?.bytes))
  }

  private func change<Value>(
    _ change: ValueChange<Value>?, _ description: (Value?) throws(Damaged) -> Value
  ) throws(Damaged) -> ValueChange<Value> {
    ValueChange(try description(change?.before), try description(change?.after))
  }

  private func change<Value>(
    _ change: ValueChange<Value?>?, _ description: (Value?) throws(Damaged) -> Value
  ) throws(Damaged) -> ValueChange<Value?> {
    ValueChange(try optional(change?.before, description), try optional(change?.after, description))
  }

  private func rights(_ rights: GrantRights?) throws(Damaged) -> GrantRights {
    GrantRights(
      status: try numbered(rights?.status), isPaused: try flag(rights?.isPaused),
      expires: try optional(rights?.expires, time), albumPolicy: try text(rights?.albumPolicy),
      pausedBy: try optional(rights?.pausedBy, named), isOnce: try flag(rights?.isOnce),
      endSetBy: try optional(rights?.endSetBy, named),
      agreement: try optional(rights?.agreement, agreement), terms: try terms(rights?.terms),
      live: try optional(rights?.live, live))
  }

  func terms(_ terms: GrantTerms?) throws(Damaged) -> GrantTerms {
    GrantTerms(
      location: try optional(terms?.location, flag), captions: try flag(terms?.captions),
      files: try flag(terms?.files), pixels: try integer(terms?.pixels), changes: try flag(terms?.changes),
      deletions: try numbered(terms?.deletions), allowance: try allowance(terms?.allowance))
  }

  func allowance(_ allowance: Allowance?) throws(Damaged) -> Allowance {
    var result = Allowance()
    for limit in Allowance.Limit.allCases { result[limit] = try optional(allowance?[limit], integer) }
    return result
  }

  func live(_ live: LiveSelection?) throws(Damaged) -> LiveSelection {
    LiveSelection(
      album: try optional(live?.album, identifier), folder: try optional(live?.folder, text),
      createdFrom: try optional(live?.createdFrom, time), createdBefore: try optional(live?.createdBefore, time),
      mediaType: try optional(live?.mediaType, numbered), favourites: try flag(live?.favourites),
      excluded: try list(live?.excluded.map(\.rawValue), integer).map(AssetNumber.init))
  }

  private func libraryRights(_ rights: LibraryRights?) throws(Damaged) -> LibraryRights {
    LibraryRights(
      offeredTo: try users(rights?.offeredTo), coOwners: try users(rights?.coOwners),
      administratorsSee: try flag(rights?.administratorsSee),
      administratorsDecide: try flag(rights?.administratorsDecide),
      sharesOriginals: try flag(rights?.sharesOriginals), appsDelete: try flag(rights?.appsDelete),
      defaultTerms: try terms(rights?.defaultTerms))
  }

  private func users(_ users: Set<UInt32>?) throws(Damaged) -> Set<UInt32> { Set(try list(users?.sorted(), integer)) }

  private func facts(_ facts: AlbumFacts?) throws(Damaged) -> AlbumFacts {
    AlbumFacts(
      identifier: try identifier(facts?.identifier), title: try text(facts?.title),
      isShared: try flag(facts?.isShared), creator: try optional(facts?.creator, identifier),
      source: try named(facts?.source), created: try time(facts?.created))
  }

  private func assetFacts(_ facts: AssetValues?) throws(Damaged) -> AssetValues {
    AssetValues(
      asset: AssetNumber(try integer(facts?.asset.rawValue)), isFavourite: try flag(facts?.isFavourite),
      date: AssetValues.Date(
        creation: try optional(facts?.date.creation, time), origin: try optional(facts?.date.origin, named),
        zoneMinutes: try optional(facts?.date.zoneMinutes, integer),
        placeShiftMinutes: try integer(facts?.date.placeShiftMinutes)),
      location: try optional(facts?.location, point), caption: try optional(facts?.caption, text))
  }

  private func point(_ point: GeoPoint?) throws(Damaged) -> GeoPoint {
    GeoPoint(latitudeE7: try integer(point?.latitudeE7), longitudeE7: try integer(point?.longitudeE7))
  }
}
