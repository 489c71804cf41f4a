import Foundation
import MediaClient
import PhotoModel

/// One file's facts in the manifest's words, by column; empty text means none.
enum Finding {
  static let columns = [
    "size", "orientation", "date", "offset", "fraction", "place", "make", "model", "duration", "live", "burst",
    "motion", "rating",
  ]

  static func expected(_ row: ManifestRow) -> [String: String] {
    let date = [row["DateTimeOriginal"], row["CreateDate"]].first { !$0.isEmpty && !$0.hasPrefix("0000") } ?? ""
    return [
      "size": row["width"].isEmpty ? "" : "\(row["width"])x\(row["height"])",
      "orientation": orientation(row),
      "date": String(date.prefix(19)),
      "offset": row["OffsetTimeOriginal"],
      "fraction": trimmed(
        fraction: row["SubSecTimeOriginal"].isEmpty ? fractionInside(date) : row["SubSecTimeOriginal"]),
      "place": place(Double(row["GPSLatitude"]), Double(row["GPSLongitude"])),
      "make": row["make"].trimmingCharacters(in: .whitespaces),
      "model": row["model"].trimmingCharacters(in: .whitespaces),
      "duration": row["class"] == "video" ? Double(row["duration"]).map(seconds) ?? row["duration"] : "",
      "live": row["live_id"], "burst": row["burst_id"], "motion": row["motion"], "rating": row["rating"],
    ]
  }

  static func actual(_ facts: MediaFacts) -> [String: String] {
    var found = Dictionary(uniqueKeysWithValues: columns.map { ($0, "") })
    found["size"] = facts.codedSize.map { "\($0.width)x\($0.height)" }
    found["orientation"] = facts.orientation == 1 ? "" : "\(facts.orientation)"
    if let date = facts.date {
      let fields = [date.month, date.day, date.hour, date.minute, date.second].map { String(format: "%02d", $0) }
      found["date"] =
        String(format: "%04d", date.year) + ":\(fields[0]):\(fields[1]) \(fields[2]):\(fields[3]):\(fields[4])"
      found["fraction"] = trimmed(fraction: String(format: "%06d", date.microsecond))
      // The manifest has offsets of EXIF dates only.
      if let offset = date.offsetMinutes, date.offsetSource == .tag {
        found["offset"] = String(format: "%@%02d:%02d", offset < 0 ? "-" : "+", abs(offset) / 60, abs(offset) % 60)
      }
    }
    found["place"] = place(facts.location?.latitude, facts.location?.longitude)
    found["make"] = facts.make ?? ""
    found["model"] = facts.model ?? ""
    found["duration"] =
      facts.duration.map { seconds(Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18) } ?? ""
    found["live"] = facts.liveIdentifier ?? ""
    found["burst"] = facts.burstIdentifier ?? ""
    found["motion"] = facts.motionMovie == nil ? "" : "1"
    found["rating"] = facts.rating.map(String.init) ?? ""
    return found
  }

  /// `irot` of HEIC counts counterclockwise, a video's matrix clockwise; other files use EXIF.
  private static func orientation(_ row: ManifestRow) -> String {
    let isVideo = row["class"] == "video"
    switch row["rotation"] {
    case "90": return isVideo ? "6" : "8"
    case "180": return "3"
    case "270": return isVideo ? "8" : "6"
    default: return ["", "0", "1"].contains(row["orientation"]) || row["class"] == "sidecar" ? "" : row["orientation"]
    }
  }

  private static func place(_ latitude: Double?, _ longitude: Double?) -> String {
    guard let latitude, let longitude else { return "" }
    return String(format: "%.4f %.4f", latitude, longitude)
  }

  private static func seconds(_ value: Double) -> String { String(format: "%.1f", value) }

  private static func fractionInside(_ date: String) -> String {
    guard let point = date.firstIndex(of: ".") else { return "" }
    return String(date[date.index(after: point)...].prefix { $0.isNumber })
  }

  private static func trimmed(fraction: String) -> String {
    var digits = fraction.prefix(6)
    while digits.last == "0" { digits.removeLast() }
    return String(digits)
  }
}
