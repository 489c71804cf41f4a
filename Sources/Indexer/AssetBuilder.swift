package import Broker
import Catalogue
import Limits
package import PhotoModel

/// Builds the library's record of an asset from a scanned item and the facts about its files.
package struct AssetBuilder: Sendable {
  /// For dates without an offset.
  package var zone: ZoneRules
  /// The offset at a place and a local time, for dates without one; nil if it is unknown.
  private let offsetAtPlace: @Sendable (GeoPoint, Int64) -> Int32?
  /// The time of adding to the library.
  package var now: Timestamp

  package init(
    zone: ZoneRules, now: Timestamp, offsetAtPlace: @escaping @Sendable (GeoPoint, Int64) -> Int32? = { _, _ in nil }
  ) {
    self.zone = zone
    self.now = now
    self.offsetAtPlace = offsetAtPlace
  }

  /// The record of a new item; the library assigns its number and identifier.
  ///
  /// - Parameters:
  ///   - proof: The digests of the photo or video itself.
  ///   - companions: The digests of its other files, in their order.
  package func record(
    _ item: StorageItem, facts: ItemFacts, proof: ContentProof?, companions: [ContentProof?] = []
  ) -> AssetRecord {
    var row = AssetRow(
      number: AssetNumber(0), identifier: AssetIdentifier(high: 0, low: 0), addedDate: now,
      modificationDate: Self.told(item.primary.modified))
    fill(&row, item, facts)
    mark(&row, item)
    return AssetRecord(
      row: row, caption: facts.caption, camera: facts.camera, livePhotoIdentifier: facts.livePhotoIdentifier,
      burstIdentifier: facts.burstIdentifier, creator: nil, edited: [],
      factsVersion: facts.version,
      resources: resources(
        item, contentType: facts.contentType, picture: facts.own,
        proofs: [proof] + companions))
  }

  /// The record of a known asset after a change. Facts are nil if the files' content is the same,
  /// and only their places, their source or the library's zone changed.
  package func updated(
    _ known: AssetRecord, _ item: StorageItem, facts: ItemFacts?, proof: ContentProof?, companions: [ContentProof?] = []
  ) -> AssetRecord {
    var record = known
    let original = known.resources.first { $0.role == .original }
    record.resources = resources(
      item, contentType: facts?.contentType ?? original?.contentType ?? "application/octet-stream",
      picture: facts?.own ?? original?.picture,
      proofs: [
        proof ?? (facts == nil ? original.map { ContentProof(digest: $0.digest, endsDigest: $0.endsDigest) } : nil)
      ]
        + item.others.enumerated().map { index, file in
          (companions.indices.contains(index) ? companions[index] : nil) ?? Self.knownProof(of: file, in: known)
        })
    record.row.fileName = item.primary.filename
    mark(&record.row, item)
    guard let facts else {
      record.row = zone.redating(record.row) ?? record.row
      return record
    }
    fill(&record.row, item, facts)
    if known.edited.contains(.favourite), known.row.flags.contains(.favourite) != facts.isFavourite {
      record.row.flags.formSymmetricDifference(.favourite)
    }
    record.camera = facts.camera
    record.livePhotoIdentifier = facts.livePhotoIdentifier
    record.burstIdentifier = facts.burstIdentifier
    record.factsVersion = facts.version
    if !known.edited.contains(.caption) { record.caption = facts.caption }
    return record
  }

  /// The known digests of a file other than the photo itself; nil if there are none.
  package static func knownProof(of file: ItemFile, in known: AssetRecord) -> ContentProof? {
    known.resources.first { resource in
      resource.contentVersion == file.contentVersion && resource.size == file.size
        && (resource.role == file.role || resource.identityHint != nil && resource.identityHint == file.identityHint)
        && (resource.digest != nil || resource.endsDigest != nil)
    }.map { ContentProof(digest: $0.digest, endsDigest: $0.endsDigest) }
  }

  /// The storage tells at each scan whether an asset belongs to somebody else.
  private func mark(_ row: inout AssetRow, _ item: StorageItem) {
    if item.source == .cloudShared { row.flags.insert(.cloudShared) } else { row.flags.remove(.cloudShared) }
  }

  private func fill(_ row: inout AssetRow, _ item: StorageItem, _ facts: ItemFacts) {
    row.fileName = item.primary.filename
    if facts.isFavourite { row.flags.insert(.favourite) } else { row.flags.remove(.favourite) }
    row.mediaType = facts.mediaType
    row.subtypes = facts.subtypes
    if item.others.contains(where: { $0.role == .pairedVideo }) { row.subtypes.insert(.livePhoto) }
    if item.others.contains(where: { $0.role == .edited }) { row.subtypes.insert(.edited) }
    row.width = facts.width
    row.height = facts.height
    row.durationMilliseconds = facts.durationMilliseconds
    row.location = facts.location
    row.modificationDate = Self.told(item.primary.modified)
    (row.creationDate, row.dateOrigin, row.zoneMinutes) = dating(item, facts)
    row.placeShiftMinutes = row.dateOrigin?.isOfPlace == true ? zone.shift(of: row) ?? 0 : 0
  }

  /// An asset's date, its source and the offset of its clock.
  private typealias Dating = (date: Timestamp?, origin: DateOrigin?, zoneMinutes: Int16?)

  /// The files' own date with their offset, else with the zone of their place or the library's; else
  /// the date in the file's name; else the file's modification time. Dates outside of all calendars
  /// are dropped, because apps fail to show them. Dates in the future are not believed, because they
  /// would head every list.
  private func dating(_ item: StorageItem, _ facts: ItemFacts) -> Dating {
    let found = facts.capture.flatMap { dating($0, at: facts.location) }
    if let found, let date = found.date, date <= latest { return found }
    if let named = FileNameDate(item.primary.filename).flatMap(dating), let date = named.date, date <= latest {
      return named
    }
    let modified = item.primary.modified
    guard Self.told(modified) == modified, modified <= latest else { return (nil, nil, nil) }
    return (modified, found == nil ? .file : .doubted, nil)
  }

  private func dating(_ capture: ItemFacts.Capture, at place: GeoPoint?) -> Dating? {
    let isStated = capture.offsetMinutes != nil, isPartial = !isStated && capture.origin == .partial
    let there =
      isStated || isPartial ? nil : place.flatMap { offsetAtPlace($0, capture.localSeconds) }
    let minutes = capture.offsetMinutes ?? there ?? zone.offsetMinutes(atLocal: capture.localSeconds)
    guard let whole = Self.moment(capture.localSeconds, minutes) else { return nil }
    let origin = isStated || isPartial ? capture.origin : there == nil ? .libraryZone : .place
    return (
      Self.told(whole.advanced(by: .microseconds(Int64(capture.microseconds)))), origin,
      isStated && !capture.isLocal ? nil : Int16(exactly: minutes)
    )
  }

  private func dating(_ name: FileNameDate) -> Dating? {
    let minutes = name.isUTC ? 0 : zone.offsetMinutes(atLocal: name.localSeconds)
    return Self.moment(name.localSeconds, minutes).map { ($0, .fileName, name.isUTC ? nil : Int16(exactly: minutes)) }
  }

  /// The moment of a local time; nil outside of all calendars.
  private static func moment(_ localSeconds: Int64, _ offsetMinutes: Int32) -> Timestamp? {
    let (seconds, overflow) = localSeconds.subtractingReportingOverflow(Int64(offsetMinutes) * 60)
    guard !overflow, let whole = Timestamp(seconds: seconds), told(whole) == whole else { return nil }
    return whole
  }

  /// The latest date that is believed: two days ahead, since clocks and their zones differ. A clock
  /// that was never set counts as one of 2026, so that it does not make every photo doubted.
  private var latest: Timestamp {
    max(now, Timestamp(microseconds: 1_767_225_600_000_000)).advanced(by: .seconds(2 * 86_400))
  }

  /// Clamps a time to the range of dates that apps receive.
  private static func told(_ time: Timestamp) -> Timestamp {
    Timestamp(microseconds: min(max(time.microseconds, ServiceLimits.dates.lowerBound), ServiceLimits.dates.upperBound))
  }

  /// - Parameter proofs: One per file, in their order; nil for unknown ones.
  private func resources(
    _ item: StorageItem, contentType: String, picture: PictureFacts?, proofs: [ContentProof?]
  ) -> [ResourceRecord] {
    item.files.enumerated().map { index, file in
      let proof = proofs.indices.contains(index) ? proofs[index] : nil
      return ResourceRecord(
        role: file.role, locator: file.locator, filename: file.filename,
        contentType: index == 0 ? contentType : ContentTypes.byName(file.filename), size: file.size,
        contentVersion: file.contentVersion, identityHint: file.identityHint, digest: proof?.digest,
        endsDigest: proof?.endsDigest, picture: index == 0 ? picture ?? PictureFacts() : PictureFacts())
    }
  }
}
