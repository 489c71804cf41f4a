package import PhotoModel
import PluginKit

/// MIME types and media types by file name, for files that the worker has not read.
package enum ContentTypes {
  private static let table: [String: (type: String, media: MediaType)] = [
    "jpg": ("image/jpeg", .image), "jpeg": ("image/jpeg", .image), "jpe": ("image/jpeg", .image),
    "jfif": ("image/jpeg", .image),
    "heic": ("image/heic", .image), "heif": ("image/heif", .image), "hif": ("image/heif", .image),
    "png": ("image/png", .image), "webp": ("image/webp", .image), "apng": ("image/png", .image),
    "pjpeg": ("image/jpeg", .image), "mpo": ("image/jpeg", .image), "jps": ("image/jpeg", .image),
    "insp": ("image/jpeg", .image), "heics": ("image/heic", .image), "heifs": ("image/heif", .image),
    "avci": ("image/heif", .image), "avcs": ("image/heif", .image), "avifs": ("image/avif", .image),
    "jxl": ("image/jxl", .image), "bmp": ("image/bmp", .image), "dib": ("image/bmp", .image),
    "btf": ("image/tiff", .image), "tf8": ("image/tiff", .image), "jp2": ("image/jp2", .image),
    "j2k": ("image/jp2", .image), "j2c": ("image/j2c", .image), "jpc": ("image/j2c", .image),
    "jpf": ("image/jpx", .image), "jpx": ("image/jpx", .image), "jxr": ("image/jxr", .image),
    "wdp": ("image/jxr", .image), "hdp": ("image/jxr", .image), "psd": ("image/vnd.adobe.photoshop", .image),
    "pef": ("image/x-pentax-pef", .image), "srw": ("image/x-samsung-srw", .image),
    "x3f": ("image/x-sigma-x3f", .image), "3fr": ("image/x-hasselblad-3fr", .image),
    "erf": ("image/x-epson-erf", .image), "kdc": ("image/x-kodak-kdc", .image), "dcr": ("image/x-kodak-dcr", .image),
    "insv": ("video/mp4", .video), "360": ("video/mp4", .video), "3gpp": ("video/3gpp", .video),
    "m2t": ("video/mp2t", .video), "mpe": ("video/mpeg", .video), "vob": ("video/mpeg", .video),
    "asf": ("video/x-ms-wmv", .video),
    "avif": ("image/avif", .image), "tif": ("image/tiff", .image), "tiff": ("image/tiff", .image),
    "gif": ("image/gif", .image), "crw": ("image/x-canon-crw", .image), "cr2": ("image/x-canon-cr2", .image),
    "cr3": ("image/x-canon-cr3", .image), "nef": ("image/x-nikon-nef", .image), "nrw": ("image/x-nikon-nef", .image),
    "arw": ("image/x-sony-arw", .image), "srf": ("image/x-sony-arw", .image), "sr2": ("image/x-sony-arw", .image),
    "mrw": ("image/x-minolta-mrw", .image),
    "dng": ("image/x-adobe-dng", .image), "raf": ("image/x-fuji-raf", .image), "orf": ("image/x-olympus-orf", .image),
    "rw2": ("image/x-panasonic-rw2", .image), "mov": ("video/quicktime", .video), "qt": ("video/quicktime", .video),
    "mp4": ("video/mp4", .video),
    "m4v": ("video/x-m4v", .video), "avi": ("video/x-msvideo", .video), "mkv": ("video/x-matroska", .video),
    "webm": ("video/webm", .video), "3gp": ("video/3gpp", .video), "3g2": ("video/3gpp2", .video),
    "mts": ("video/mp2t", .video),
    "m2ts": ("video/mp2t", .video), "mpg": ("video/mpeg", .video), "mpeg": ("video/mpeg", .video),
    "wmv": ("video/x-ms-wmv", .video),
    "xmp": ("application/rdf+xml", .unknown),
  ]

  package static func byName(_ filename: String) -> String { entry(filename)?.type ?? "application/octet-stream" }

  package static func mediaType(byName filename: String) -> MediaType { entry(filename)?.media ?? .unknown }

  private static func entry(_ filename: String) -> (type: String, media: MediaType)? {
    guard let dot = filename.lastIndex(of: ".") else { return nil }
    if let known = table[filename[filename.index(after: dot)...].lowercased()] { return known }
    // Only the more common raw formats have MIME types of their own.
    return FileKind(filename) == .raw ? ("image/x-raw", .image) : nil
  }
}
