import Broker
import CLinux
import Glibc
import Indexer

/// The system's time zone database and its towns. Every call blocks and belongs on a worker.
enum ZoneFile {
  private static let folder = "/usr/share/zoneinfo/"
  private static let largest = folder + "zone.tab"
  private static let stations = "/usr/share/libgweather-4/Locations.xml"

  /// Nil if the database is missing, or has no such zone.
  static func rules(_ name: String) -> ZoneRules? {
    // The longest has 4 KB.
    isName(name) ? read(folder + name, limit: 1 << 16).flatMap { ZoneRules(file: $0) } : nil
  }

  /// Whether both tables of towns are there. It does not block for long.
  static var knowsPlaces: Bool { access(largest, R_OK) == 0 && access(stations, R_OK) == 0 }

  /// The zones at places, read for the first photo that needs them. Nil if a table is missing.
  static let places: PlaceZones? = {
    guard let stations = read(stations, limit: 1 << 23), let largest = read(largest, limit: 1 << 20) else {
      return nil
    }
    return PlaceZones(TownTable.stations(stations) + TownTable.largest(largest), rules: rules)
  }()

  /// The names of towns, read at the first search or look at a place. Nil if the table is missing.
  static let towns: TownNames? = read(stations, limit: 1 << 23).map { TownNames(TownTable.stations($0)) }

  private static func read(_ path: String, limit: Int) -> [UInt8]? {
    let file = clinux_open(path, O_RDONLY | O_NONBLOCK, 0)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return FileBytes.read(file, limit: limit)
  }

  /// A library's zone. If the database has lost it, the offset at the time of the choice.
  static func rules(of record: LibraryRecord) -> ZoneRules {
    record.zoneName.flatMap { rules($0) } ?? .fixed(minutes: record.zoneOffsetMinutes)
  }

  /// Accepts `Europe/Zurich`, `America/Argentina/Ushuaia`, `Etc/GMT+5`, and nothing that leads out
  /// of the folder.
  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 64
      && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { UInt8(ascii: "-") == $0 || "+_".utf8.contains($0) || isLetterOrDigit($0) }
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
