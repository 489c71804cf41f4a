import BrokerInterface
import Catalogue
import PhotoModel

struct OwnedColumns {
  private var identifiers = ""
  private var dates: [Int64] = []
  private var offsets: [Int64] = []
  private var widths: [Int64] = []
  private var heights: [Int64] = []
  private var seconds: [Int64] = []
  private var marks: [Int64] = []
  private var names: [String] = []
  private var versions: [Int64] = []

  /// - Parameter zone: The library's offset in minutes, for local dates without an offset.
  init(_ rows: [AssetRow], zone: Int32, isSelected: (AssetRow) -> Bool) {
    identifiers.reserveCapacity(rows.count * 32)
    for row in rows {
      identifiers += row.identifier.description
      dates.append((row.creationDate?.microseconds ?? 0) / 1_000_000)
      let isLocal = row.dateOrigin == .libraryZone || row.dateOrigin == .partial
      let offset = row.zoneMinutes.map { Int64($0) } ?? (isLocal ? Int64(zone) : nil)
      offsets.append(offset ?? 0)
      widths.append(Int64(row.width))
      heights.append(Int64(row.height))
      seconds.append((Int64(row.durationMilliseconds) + 500) / 1_000)
      marks.append(Self.marks(of: row, isSelected: isSelected(row)) | (offset == nil ? 128 : 0))
      names.append(row.fileName)
      versions.append(Int64(row.version))
    }
  }

  private static func marks(of row: AssetRow, isSelected: Bool) -> Int64 {
    var marks: Int64 = row.mediaType == .video ? 1 : 0
    if row.flags.contains(.favourite) { marks |= 2 }
    if row.flags.contains(.hidden) { marks |= 4 }
    if row.flags.contains(.neverShare) { marks |= 8 }
    if isSelected { marks |= 16 }
    if row.creationDate == nil { marks |= 32 }
    if row.flags.contains(.cloudShared) { marks |= 64 }
    if row.subtypes.contains(.incomplete) { marks |= 256 }
    return marks
  }

  /// - Parameter gone: Assets that no longer exist, in a list of changes; nil in a list of all
  ///   assets.
  func reply(
    next: Int64?, total: Int, revision: Int64, gone: [AssetIdentifier]? = nil, selected: Int = 0
  ) -> Admin.FetchOwnedColumns.Reply {
    Admin.FetchOwnedColumns.Reply(
      identifiers: identifiers, dates: dates, offsets: offsets, widths: widths, heights: heights, seconds: seconds,
      marks: marks, names: names, versions: versions,
      next: next, total: Int64(total), revision: revision, gone: gone.map { $0.map(\.description).joined() },
      selected: Int64(selected))
  }
}
