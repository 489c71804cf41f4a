/// What a file is, by its ending; what is in it is for the broker's media worker to find out. A
/// storage lists `photo`, `raw` and `video`, and adds nothing else: the broker takes files of these
/// endings from apps, and what is not listed again is gone.
public enum FileKind: Sendable, Equatable {
  case photo, raw, video, sidecar
  /// A camera's small picture beside a raw file, a GIF or a video (`.THM`).
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

  /// A name's last ending in lower case, without its dot; empty where it has none.
  public static func ending(_ name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
