import PhotoModel

extension Columns {
  func sortValue(_ key: SortKey, _ slot: UInt32) -> SortValue {
    switch key {
    case .creationDate: .integer(self[.created, slot])
    case .creationDateWithoutPlace: .integer(Self.shifted(self[.created, slot], self[.placeShift, slot]))
    case .modificationDate: .integer(self[.modified, slot])
    case .addedDate: .integer(self[.added, slot])
    case .fileName: .text(names.withBytes(slot, NameFold.fold))
    case .duration: .integer(self[.duration, slot])
    case .pixels: .integer(AssetRow.pixels(UInt64(self[.width, slot]), UInt64(self[.height, slot])))
    }
  }
}

extension AssetRow {
  func sortValue(_ key: SortKey) -> SortValue {
    switch key {
    case .creationDate: .integer(Columns.order(creationDate))
    case .creationDateWithoutPlace: .integer(Columns.order(facts.dateWithoutPlace))
    case .modificationDate: .integer(modificationDate.microseconds)
    case .addedDate: .integer(addedDate.microseconds)
    case .fileName: .text(NameColumn.bytes(fileName).withUnsafeBufferPointer(NameFold.fold))
    case .duration: .integer(Int64(durationMilliseconds))
    case .pixels: .integer(Self.pixels(UInt64(width), UInt64(height)))
    }
  }

  /// Width times height; each has 32 bits, so the product fits 64.
  static func pixels(_ width: UInt64, _ height: UInt64) -> Int64 { Int64(clamping: width * height) }
}
