package import PhotoModel

/// Everything the catalogue knows about one asset. A copy: changing it changes nothing until `Catalogue.update`.
package struct AssetRow: Hashable, Sendable {
  package var number: AssetNumber
  package var identifier: AssetIdentifier
  /// When it was taken; nil where nothing says. An asset without a date sorts as the oldest.
  package var creationDate: Timestamp?
  /// Where `creationDate` has its offset from; nil where the date is nil.
  package var dateOrigin: DateOrigin?
  /// Minutes east of UTC of the clock where it was taken, whole quarters of an hour; where the
  /// files do not tell, that of the library's zone by which it was dated, or nil.
  package var zoneMinutes: Int16?
  /// When it came into the library.
  package var addedDate: Timestamp
  package var modificationDate: Timestamp
  package var mediaType: MediaType
  package var subtypes: MediaSubtypes
  package var flags: AssetFlags
  /// Pixels, orientation applied; 0 where not known.
  package var width: UInt32
  package var height: UInt32
  /// 0 for what is not a video or a sound.
  package var durationMilliseconds: UInt32
  package var location: GeoPoint?
  /// The store's number of the place's name; nil where none is known.
  package var place: UInt32?
  /// Grows with each change of the asset. Internal: what reaches an app is sealed per grant.
  package var version: UInt32
  /// Without its folder. At most 255 bytes of UTF-8 are kept; longer names are cut at a character.
  package var fileName: String

  package init(
    number: AssetNumber, identifier: AssetIdentifier, creationDate: Timestamp? = nil, dateOrigin: DateOrigin? = nil,
    zoneMinutes: Int16? = nil,
    addedDate: Timestamp, modificationDate: Timestamp, mediaType: MediaType = .image, subtypes: MediaSubtypes = [],
    flags: AssetFlags = [], width: UInt32 = 0, height: UInt32 = 0, durationMilliseconds: UInt32 = 0,
    location: GeoPoint? = nil, place: UInt32? = nil, version: UInt32 = 0, fileName: String = ""
  ) {
    self.number = number
    self.identifier = identifier
    self.creationDate = creationDate
    self.dateOrigin = dateOrigin
    self.zoneMinutes = zoneMinutes
    self.addedDate = addedDate
    self.modificationDate = modificationDate
    self.mediaType = mediaType
    self.subtypes = subtypes
    self.flags = flags
    self.width = width
    self.height = height
    self.durationMilliseconds = durationMilliseconds
    self.location = location
    self.place = place
    self.version = version
    self.fileName = fileName
  }

  /// From the library's own folder, or shared into it.
  package var sourceType: SourceType { flags.contains(.cloudShared) ? .cloudShared : .userLibrary }
}
