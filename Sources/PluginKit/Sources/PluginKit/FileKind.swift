public import PhotoModel

/// The kind of a file by its extension, or by its first bytes where the extension is unknown. The
/// media worker decides by the content: a photo may have any of these names.
///
/// A storage lists the kinds `photo`, `raw` and `video`. It adds files by extension alone, as the
/// broker accepts them from apps. An added file that no scan lists is gone.
public enum FileKind: Sendable, Equatable {
  case photo, raw, video, sidecar
  /// A camera's preview beside a RAW file, a GIF or a video (`.THM`).
  case thumbnail
  case other

  private static let endings: [String: FileKind] = {
    var table: [String: FileKind] = ["xmp": .sidecar, "json": .sidecar, "thm": .thumbnail]
    for ending in [
      "jpg", "jpeg", "jpe", "jfif", "heic", "heif", "hif", "png", "webp", "avif", "tif", "tiff", "gif", "jxl", "bmp",
      "dib", "mpo", "jps", "insp", "jp2", "j2k", "j2c", "jpc", "jpf", "jpx", "jxr", "wdp", "hdp", "btf", "tf8", "psd",
      "heics", "heifs", "avifs", "avci", "avcs", "apng", "pjpeg", "psb",
    ] { table[ending] = .photo }
    for ending in [
      "crw", "cr2", "cr3", "nef", "nrw", "arw", "srf", "sr2", "dng", "raf", "orf", "rw2", "pef", "srw", "x3f", "iiq",
      "3fr", "fff", "erf", "kdc", "dcr", "mrw", "raw", "rwl", "mef", "mos", "gpr", "ori",
    ] { table[ending] = .raw }
    for ending in [
      "mov", "qt", "mp4", "m4v", "avi", "mkv", "webm", "3gp", "3g2", "3gpp", "mts", "m2ts", "m2t", "mpg", "mpeg", "mpe",
      "vob", "wmv", "asf", "insv", "360", "mp", "mv", "mod", "tod", "m2v", "mpv", "dv", "flv", "ogv",
    ] { table[ending] = .video }
    return table
  }()

  public init(_ name: String) { self = Self.endings[Self.ending(name)] ?? .other }

  /// Whether a file is a program's backup of one beside it, such as exiftool's. Leave it out: it
  /// holds what its owner removed from the photo.
  /// - Parameter names: the names of the photos, videos and sidecars of the folder.
  public static func isBackup(_ name: String, beside names: Set<ExactText>) -> Bool {
    ["_original", "~", ".bak", ".orig"].contains { suffix in
      name.hasSuffix(suffix) && names.contains(ExactText(name.dropLast(suffix.count)))
    }
  }

  /// The lower-case extension without its dot; empty if there is none.
  public static func ending(_ name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
