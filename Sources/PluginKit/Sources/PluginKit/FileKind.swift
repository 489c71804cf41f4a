/// The kind of a file by its extension. The media worker checks the content.
///
/// A storage lists the kinds `photo`, `raw` and `video`, and adds no other: the broker accepts
/// files with these extensions from apps. An added file that no scan lists is gone.
public enum FileKind: Sendable, Equatable {
  case photo, raw, video, sidecar
  /// A camera's preview beside a RAW file, a GIF or a video (`.THM`).
  case thumbnail
  case other

  private static let endings: [String: FileKind] = {
    var table: [String: FileKind] = ["xmp": .sidecar, "thm": .thumbnail]
    for ending in ["jpg", "jpeg", "jpe", "jfif", "heic", "heif", "hif", "png", "webp", "avif", "tif", "tiff", "gif"] {
      table[ending] = .photo
    }
    for ending in [
      "crw", "cr2", "cr3", "nef", "nrw", "arw", "srf", "sr2", "dng", "raf", "orf", "rw2", "pef", "srw", "x3f", "iiq",
      "3fr", "erf",
      "kdc", "dcr", "mrw", "raw", "rwl", "mef", "mos", "gpr",
    ] { table[ending] = .raw }
    for ending in ["mov", "qt", "mp4", "m4v", "avi", "mkv", "webm", "3gp", "3g2", "mts", "m2ts", "mpg", "mpeg", "wmv"] {
      table[ending] = .video
    }
    return table
  }()

  public init(_ name: String) { self = Self.endings[Self.ending(name)] ?? .other }

  /// The lower-case extension without its dot; empty if there is none.
  public static func ending(_ name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
