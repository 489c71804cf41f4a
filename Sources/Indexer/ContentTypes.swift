package import PhotoModel
import PluginKit

/// MIME types and media types by file name, for files that the worker has not read.
package enum ContentTypes {
  private static let types: [String: String] = [
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "jpe": "image/jpeg", "jfif": "image/jpeg", "pjpeg": "image/jpeg",
    "mpo": "image/jpeg", "jps": "image/jpeg", "insp": "image/jpeg", "thm": "image/jpeg",
    "heic": "image/heic", "heics": "image/heic", "heif": "image/heif", "hif": "image/heif", "heifs": "image/heif",
    "avci": "image/heif", "avcs": "image/heif", "avif": "image/avif", "avifs": "image/avif",
    "png": "image/png", "apng": "image/png", "webp": "image/webp", "gif": "image/gif", "jxl": "image/jxl",
    "bmp": "image/bmp", "dib": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff", "btf": "image/tiff",
    "tf8": "image/tiff", "jp2": "image/jp2", "j2k": "image/jp2", "j2c": "image/j2c", "jpc": "image/j2c",
    "jpf": "image/jpx", "jpx": "image/jpx", "jxr": "image/jxr", "wdp": "image/jxr", "hdp": "image/jxr",
    "psd": "image/vnd.adobe.photoshop",
    "crw": "image/x-canon-crw", "cr2": "image/x-canon-cr2", "cr3": "image/x-canon-cr3", "nef": "image/x-nikon-nef",
    "nrw": "image/x-nikon-nef", "arw": "image/x-sony-arw", "srf": "image/x-sony-arw", "sr2": "image/x-sony-arw",
    "mrw": "image/x-minolta-mrw", "dng": "image/x-adobe-dng", "raf": "image/x-fuji-raf", "orf": "image/x-olympus-orf",
    "rw2": "image/x-panasonic-rw2", "pef": "image/x-pentax-pef", "srw": "image/x-samsung-srw",
    "x3f": "image/x-sigma-x3f", "3fr": "image/x-hasselblad-3fr", "erf": "image/x-epson-erf", "kdc": "image/x-kodak-kdc",
    "dcr": "image/x-kodak-dcr",
    "mov": "video/quicktime", "qt": "video/quicktime", "mp4": "video/mp4", "insv": "video/mp4", "360": "video/mp4",
    "m4v": "video/x-m4v", "avi": "video/x-msvideo", "mkv": "video/x-matroska", "webm": "video/webm",
    "3gp": "video/3gpp", "3gpp": "video/3gpp", "3g2": "video/3gpp2", "mts": "video/mp2t", "m2ts": "video/mp2t",
    "m2t": "video/mp2t", "mpg": "video/mpeg", "mpeg": "video/mpeg", "mpe": "video/mpeg", "vob": "video/mpeg",
    "mod": "video/mpeg", "tod": "video/mpeg", "m2v": "video/mpeg", "mpv": "video/mpeg",
    "mp": "video/mp4", "mv": "video/mp4", "dv": "video/dv", "flv": "video/x-flv", "ogv": "video/ogg",
    "wmv": "video/x-ms-wmv", "asf": "video/x-ms-wmv", "xmp": "application/rdf+xml",
    "json": "application/json",
  ]

  package static func byName(_ filename: String) -> String {
    guard let dot = filename.lastIndex(of: ".") else { return "application/octet-stream" }
    // Only the more common raw formats have MIME types of their own.
    return types[filename[filename.index(after: dot)...].lowercased()]
      ?? (FileKind(filename) == .raw ? "image/x-raw" : "application/octet-stream")
  }

  package static func mediaType(byName filename: String) -> MediaType {
    switch byName(filename).prefix(6) {
    case "image/": .image
    case "video/": .video
    default: .unknown
    }
  }
}
