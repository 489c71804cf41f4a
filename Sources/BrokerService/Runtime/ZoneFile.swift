import Broker
import CLinux
import Glibc
import Indexer

/// The system's time zone database. Every call blocks and belongs on a worker.
enum ZoneFile {
  private static let folder = "/usr/share/zoneinfo/"
  /// Limit of one file; the longest has 4 KB.
  private static let limitBytes = 1 << 16

  /// Nil if the database is missing, or has no such zone.
  static func rules(_ name: String) -> ZoneRules? {
    guard isName(name) else { return nil }
    let file = clinux_open(folder + name, O_RDONLY | O_NONBLOCK, 0)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return FileBytes.read(file, limit: limitBytes).flatMap { ZoneRules(file: $0) }
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
