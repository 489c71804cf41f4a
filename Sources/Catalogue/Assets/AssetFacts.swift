package import PhotoModel

/// All fields of an asset except its file name; see `AssetRow` for their meanings. It holds
/// integers alone, so that copies of a page count no references.
package struct AssetFacts: Hashable, Sendable {
  package var number: AssetNumber
  package var identifier: AssetIdentifier
  package var creationDate: Timestamp?
  package var dateOrigin: DateOrigin?
  package var zoneMinutes: Int16?
  package var placeShiftMinutes: Int16
  package var addedDate: Timestamp
  package var modificationDate: Timestamp
  package var mediaType: MediaType
  package var subtypes: MediaSubtypes
  package var flags: AssetFlags
  package var width: UInt32
  package var height: UInt32
  package var durationMilliseconds: UInt32
  package var location: GeoPoint?
  package var place: UInt32?
  package var version: UInt32

  /// Whether the asset is the library's own or shared into it.
  package var sourceType: SourceType { flags.contains(.cloudShared) ? .cloudShared : .userLibrary }

  /// The date for an app from which locations are withheld: an offset from a place tells its time
  /// zone, so the library's zone replaces it.
  package var dateWithoutPlace: Timestamp? {
    creationDate.map { Timestamp(microseconds: Columns.shifted($0.microseconds, Int64(placeShiftMinutes))) }
  }

  /// The origin of `dateWithoutPlace`.
  package var dateOriginWithoutPlace: DateOrigin? {
    dateOrigin == .place || dateOrigin == .gps && zoneMinutes != nil ? .libraryZone : dateOrigin
  }
}

extension AssetRow {
  init(_ facts: AssetFacts, fileName: String) {
    self.init(
      number: facts.number, identifier: facts.identifier, creationDate: facts.creationDate,
      dateOrigin: facts.dateOrigin,
      zoneMinutes: facts.zoneMinutes, placeShiftMinutes: facts.placeShiftMinutes,
      addedDate: facts.addedDate, modificationDate: facts.modificationDate, mediaType: facts.mediaType,
      subtypes: facts.subtypes, flags: facts.flags, width: facts.width, height: facts.height,
      durationMilliseconds: facts.durationMilliseconds, location: facts.location, place: facts.place,
      version: facts.version, fileName: fileName)
  }

  /// All fields except the file name.
  package var facts: AssetFacts {
    AssetFacts(
      number: number, identifier: identifier, creationDate: creationDate, dateOrigin: dateOrigin,
      zoneMinutes: zoneMinutes, placeShiftMinutes: placeShiftMinutes,
      addedDate: addedDate, modificationDate: modificationDate, mediaType: mediaType, subtypes: subtypes, flags: flags,
      width: width,
      height: height, durationMilliseconds: durationMilliseconds, location: location, place: place, version: version)
  }
}
