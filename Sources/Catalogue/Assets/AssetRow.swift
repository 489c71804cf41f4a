package import PhotoModel

/// All fields of one asset. A copy: a change has no effect before `Catalogue.update`.
package struct AssetRow: Hashable, Sendable {
  package var number: AssetNumber
  package var identifier: AssetIdentifier
  /// Time at which it was taken; nil if unknown. An asset without a date sorts as the oldest.
  package var creationDate: Timestamp?
  /// Source of the offset of `creationDate`; nil if the date is nil.
  package var dateOrigin: DateOrigin?
  /// Offset of the camera's clock in minutes east of UTC, a multiple of 15. If the files have none,
  /// the offset of the library's zone by which it was dated, or nil.
  package var zoneMinutes: Int16?
  /// Minutes to add to `creationDate` for the date that the library's zone gives to the camera's
  /// clock. 0 unless the offset came from a place or from GPS time and the local time is known.
  package var placeShiftMinutes: Int16
  /// Time at which it was added to the library.
  package var addedDate: Timestamp
  package var modificationDate: Timestamp
  package var mediaType: MediaType
  package var subtypes: MediaSubtypes
  package var flags: AssetFlags
  /// Pixels, orientation applied; 0 if unknown.
  package var width: UInt32
  package var height: UInt32
  /// 0 for assets other than videos and sounds.
  package var durationMilliseconds: UInt32
  package var location: GeoPoint?
  /// The store's number of the place's name; nil if unknown.
  package var place: UInt32?
  /// Grows with each change of the asset. Internal: apps get a sealed version for their grant.
  package var version: UInt32
  /// Name without its folder, at most 255 bytes of UTF-8. A longer name is cut between characters.
  package var fileName: String

  package init(
    number: AssetNumber, identifier: AssetIdentifier, creationDate: Timestamp? = nil, dateOrigin: DateOrigin? = nil,
    zoneMinutes: Int16? = nil, placeShiftMinutes: Int16 = 0,
    addedDate: Timestamp, modificationDate: Timestamp, mediaType: MediaType = .image, subtypes: MediaSubtypes = [],
    flags: AssetFlags = [], width: UInt32 = 0, height: UInt32 = 0, durationMilliseconds: UInt32 = 0,
    location: GeoPoint? = nil, place: UInt32? = nil, version: UInt32 = 0, fileName: String = ""
  ) {
    self.number = number
    self.identifier = identifier
    self.creationDate = creationDate
    self.dateOrigin = dateOrigin
    self.zoneMinutes = zoneMinutes
    self.placeShiftMinutes = placeShiftMinutes
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

  /// Whether the asset is the library's own or shared into it.
  package var sourceType: SourceType { flags.contains(.cloudShared) ? .cloudShared : .userLibrary }
}
