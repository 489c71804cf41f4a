import Cleaning

/// Hand-made files. Their places and captions contain ``place`` and ``caption``, in every carrier.
enum Sample {
  static let place = "PLACE"
  static let caption = "CAPTION"
  static let placeBytes = Array(place.utf8)
  /// Text that stays.
  static let kept = "KEPT"

  static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

  // MARK: TIFF

  struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    let value: [UInt8]

    static func text(_ tag: Int, _ text: String) -> Entry {
      Entry(tag: tag, type: 2, count: text.utf8.count + 1, value: Array(text.utf8) + [0])
    }
    static func bytes(_ tag: Int, _ bytes: [UInt8]) -> Entry {
      Entry(tag: tag, type: 7, count: bytes.count, value: bytes)
    }
  }

  /// A TIFF structure under construction.
  struct TIFF {
    let isLittle: Bool
    var bytes: [UInt8]

    init(isLittle: Bool) {
      self.isLittle = isLittle
      bytes = Array((isLittle ? "II" : "MM").utf8)
      bytes += number(42, 2) + number(8, 4)
    }

    func number(_ value: Int, _ count: Int) -> [UInt8] { isLittle ? little(value, count) : big(value, count) }
    func short(_ tag: Int, _ value: Int) -> Entry { Entry(tag: tag, type: 3, count: 1, value: number(value, 2)) }
    func long(_ tag: Int, _ value: Int) -> Entry { Entry(tag: tag, type: 4, count: 1, value: number(value, 4)) }

    /// Appends a directory and its values; returns its offset.
    @discardableResult
    mutating func add(_ entries: [Entry], next: Int = 0) -> Int {
      let start = bytes.count
      var values: [UInt8] = []
      let end = start + 2 + 12 * entries.count + 4
      bytes += number(entries.count, 2)
      for entry in entries {
        bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
        if entry.value.count <= 4 {
          bytes += entry.value + Array(repeating: 0, count: 4 - entry.value.count)
        } else {
          bytes += number(end + values.count, 4)
          values += entry.value + (entry.value.count % 2 == 1 ? [0] : [])
        }
      }
      bytes += number(next, 4) + values
      return start
    }
  }

  /// EXIF with a place in its GPS directory, a maker note, an unknown tag and unused bytes.
  static func exif(isLittle: Bool) -> [UInt8] {
    var tiff = TIFF(isLittle: isLittle)
    // The first directory comes first, so that the offsets of the others are computed before.
    let entryCount = 7
    let texts = [kept, kept + kept, caption]
    let firstBytes = 2 + 12 * entryCount + 4 + texts.reduce(0) { $0 + ($1.utf8.count + 2) & ~1 } + 6
    let exifOffset = 8 + firstBytes
    var rest = TIFF(isLittle: isLittle)
    rest.bytes = Array(repeating: 0, count: exifOffset)
    rest.add([
      .text(0x9003, "2024:02:03 04:05:06"), .bytes(0x927c, Array("Maker\0".utf8) + placeBytes),
      .bytes(0x9286, Array("ASCII\0\0\0\(caption)".utf8)),
    ])
    let location = rest.add([
      .text(1, "N"), .bytes(2, placeBytes + placeBytes), .text(0x1d, "\(place):02:03"),
    ])
    rest.bytes += placeBytes
    tiff.add([
      .text(0x010e, texts[2]), .text(0x010f, texts[0]), .text(0x0110, texts[1]), tiff.short(0x0112, 6),
      tiff.long(0x8769, exifOffset), tiff.long(0x8825, location), .text(0xc000, place),
    ])
    tiff.bytes += Array(repeating: 0, count: max(0, exifOffset - tiff.bytes.count))
    return Array(tiff.bytes[..<exifOffset]) + rest.bytes[exifOffset...]
  }

  // MARK: XMP

  static let xmp = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="\(place)"
     xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="\(kept)"
     xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
     xmlns:other="http://example.org/\(kept)">
    <photoshop:City>\(place)</photoshop:City>
    <dc:title><rdf:Alt><rdf:li xml:lang="x-default">\(caption)</rdf:li></rdf:Alt></dc:title>
    <dc:subject><rdf:Bag><rdf:li>geo:lat=\(place)</rdf:li></rdf:Bag></dc:subject>
    <other:thing><rdf:Seq><rdf:li other:deep="\(place)"/></rdf:Seq></other:thing>
    <xmp:CreateDate other:qualifier="\(place)">2024</xmp:CreateDate>
    <!-- \(place) -->
    </rdf:Description></rdf:RDF></x:xmpmeta>
    <?xpacket end="w"?>
    """

  // MARK: JPEG

  static func segment(_ code: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xff, code] + big(payload.count + 2, 2) + payload
  }

  static let picture: [UInt8] =
    segment(0xdb, Array(repeating: 1, count: 65)) + segment(0xda, [1, 1, 0, 0, 63, 0]) + Array("pixels".utf8)
    + [0xff, 0, 0xff, 0xd0, 7, 0xff, 0xd9]

  static let iptc: [UInt8] =
    [0x1c, 2, 90, 0, 5] + placeBytes + [0x1c, 2, 120, 0, 7] + Array(caption.utf8) + [0x1c, 2, 55, 0, 1, 0x39]

  static func photoshop(_ identifier: Int, _ data: [UInt8]) -> [UInt8] {
    Array("8BIM".utf8) + big(identifier, 2) + [0, 0] + big(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
  }

  static func jpeg(isLittle: Bool = true, trailer: [UInt8] = []) -> [UInt8] {
    [0xff, 0xd8]
      + segment(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0] + placeBytes)
      + segment(0xe1, Array("Exif\0\0".utf8) + exif(isLittle: isLittle))
      + segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8))
      + segment(0xe1, Array("http://ns.adobe.com/xmp/extension/\0\(place)".utf8))
      + segment(0xeb, Array("JP".utf8) + [0, 1, 0, 0, 0, 1] + manifest)
      + segment(
        0xed, Array("Photoshop 3.0\0".utf8) + photoshop(0x0404, iptc) + photoshop(0x0425, placeBytes))
      + segment(0xfe, Array("at 47.3769, \(place)".utf8)) + placeBytes + picture + trailer
  }

  // MARK: Boxes

  /// A manifest of C2PA with a place in an assertion.
  static let manifest = box(
    "jumb", box("jumd", Array("c2pa".utf8), Array(repeating: 0x11, count: 12), [3], Array("c2pa\0".utf8)),
    box("json", Array(#"{"exif:GPSLatitude":"\#(place)"}"#.utf8)))

  static func box(_ type: String, _ payload: [UInt8]...) -> [UInt8] {
    let content = payload.flatMap { $0 }
    return big(content.count + 8, 4) + type.unicodeScalars.map { UInt8($0.value & 0xff) } + content
  }

  static func full(_ type: String, _ payload: [UInt8]...) -> [UInt8] {
    box(type, [0, 0, 0, 0] + payload.flatMap { $0 })
  }

  /// A track with one chunk of one sample.
  static func track(_ handler: String, _ codec: String, offset: Int, count: Int) -> [UInt8] {
    box(
      "trak", full("tkhd", Array(repeating: 0, count: 80)), box("udta", box("©xyz", placeBytes)),
      box(
        "mdia", full("hdlr", [0, 0, 0, 0], Array(handler.utf8), Array(repeating: 0, count: 13)),
        box(
          "minf",
          box(
            "stbl",
            full("stsd", big(1, 4), box(codec, Array(repeating: 0, count: 78))),
            full("stsz", big(0, 4), big(1, 4), big(count, 4)), full("stsc", big(1, 4), big(1, 4), big(1, 4), big(1, 4)),
            full("stco", big(1, 4), big(offset, 4))))))
  }

  static func movie(sensor: String = "gpmd") -> [UInt8] {
    let head = box("ftyp", Array("isom".utf8), [0, 0, 0, 0])
    let frame = Array("frame\(kept)".utf8)
    let media = box("mdat", frame, placeBytes, placeBytes)
    let start = head.count + 8
    let index = box(
      "moov", full("mvhd", Array(repeating: 0, count: 96)),
      track("vide", "vp09", offset: start, count: frame.count),
      track("meta", sensor, offset: start + frame.count, count: placeBytes.count),
      box(
        "udta", box("©xyz", Array("+47.3769+008.5417/\(place)".utf8)), box("©nam", Array(caption.utf8)),
        box("©mod", Array(kept.utf8)), box("loci", placeBytes)),
      box(
        "meta", full("hdlr", [0, 0, 0, 0], Array("mdta".utf8), Array(repeating: 0, count: 13)),
        full(
          "keys", big(2, 4), box("mdta", Array("com.apple.quicktime.location.ISO6709".utf8)),
          box("mdta", Array("com.apple.quicktime.model".utf8))),
        box(
          "ilst", big(8 + 8 + 8 + 5, 4) + big(1, 4) + box("data", big(1, 4), big(0, 4), placeBytes),
          big(8 + 8 + 8 + 4, 4) + big(2, 4) + box("data", big(1, 4), big(0, 4), Array(kept.utf8)))))
    return head + media + index + box("uuid", Array(repeating: 9, count: 16), manifest)
      + Array("\0\0\0trailer\(place)".utf8)
  }

  static func heic(isLittle: Bool = false, brand: String = "heic", codec: String = "hvc1") -> [UInt8] {
    let head = box("ftyp", Array(brand.utf8), [0, 0, 0, 0])
    let coded = Array("coded\(kept)".utf8)
    let exif = big(6, 4) + Array("Exif\0\0".utf8) + self.exif(isLittle: isLittle)
    let xmp = Array(Self.xmp.utf8)
    func meta(_ start: Int) -> [UInt8] {
      func information(_ identifier: Int, _ type: String, _ rest: [UInt8] = []) -> [UInt8] {
        box("infe", [2, 0, 0, 0], big(identifier, 2), big(0, 2), Array(type.utf8), [0], rest)
      }
      func location(_ identifier: Int, _ offset: Int, _ count: Int) -> [UInt8] {
        big(identifier, 2) + big(0, 2) + big(1, 2) + big(start + offset, 4) + big(count, 4)
      }
      return full(
        "meta", full("hdlr", [0, 0, 0, 0], Array("pict".utf8), Array(repeating: 0, count: 13)),
        box("iprp", box("ipco", full("pixi", Array(kept.utf8)), full("altt", placeBytes))),
        full(
          "iinf", big(3, 2), information(1, codec), information(2, "Exif"),
          information(3, "mime", Array("application/rdf+xml\0".utf8))),
        full(
          "iloc", [0x44, 0x00], big(3, 2), location(1, 0, coded.count), location(2, coded.count, exif.count),
          location(3, coded.count + exif.count, xmp.count)))
    }
    let start = head.count + meta(0).count + 8
    return head + meta(start) + box("mdat", coded, exif, xmp, placeBytes)
      + box("uuid", Array(repeating: 9, count: 16), manifest)
  }

  // MARK: Other containers

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let checked = Array(type.utf8) + data
    return big(data.count, 4) + checked + big(Int(checksum(checked)), 4)
  }

  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
    return ~sum
  }

  static func png(isLittle: Bool = false) -> [UInt8] {
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", Array(repeating: 1, count: 13))
      + chunk("eXIf", exif(isLittle: isLittle)) + chunk("tEXt", Array("Software\0\(kept)".utf8))
      + chunk("tEXt", Array("Title\0\(caption)".utf8)) + chunk("tEXt", Array("Location\0\(place)".utf8))
      + chunk("zTXt", Array("Comment\0\0\(place)".utf8))
      + chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0\(xmp)".utf8)) + chunk("caBX", manifest)
      + chunk("IDAT", Array("pixels\(kept)".utf8)) + chunk("IEND", []) + placeBytes
  }

  static func riff(_ type: String, _ data: [UInt8]) -> [UInt8] {
    Array(type.utf8) + little(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
  }

  static func webp(isLittle: Bool = false) -> [UInt8] {
    let chunks =
      riff("VP8X", [0x0c, 0, 0, 0, 1, 0, 0, 1, 0, 0]) + riff("VP8 ", Array("pixels\(kept)".utf8))
      + riff("EXIF", exif(isLittle: isLittle)) + riff("XMP ", Array(xmp.utf8)) + riff("GPS ", placeBytes)
      + riff("C2PA", manifest)
    return Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks + placeBytes
  }

  static func gif() -> [UInt8] {
    func blocks(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) + [0] }
    let magic: [UInt8] = [1] + Array((UInt8(0)...255).reversed()) + [0]
    let xmp: [UInt8] =
      [0x21, 0xff, 11] + Array("XMP DataXMP".utf8) + Array(Self.xmp.replacing(kept, with: "program").utf8)
      + magic
    return Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0] + [0x21, 0xfe] + blocks(caption)
      + [0x21, 0xfe] + blocks("lat=\(place)") + xmp + [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
      + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2] + blocks("pix\(kept)") + [0x3b] + placeBytes
  }

  /// A file of one strip.
  static func tiff(isLittle: Bool, pixelKind: Int = 2, compression: Int = 1) -> [UInt8] {
    let pixels = Array(repeating: UInt8(0x55), count: 4_000)
    var tiff = TIFF(isLittle: isLittle)
    let start = 4_000
    tiff.add([
      tiff.long(256, 10), tiff.long(257, 10), tiff.short(259, compression), tiff.short(262, pixelKind),
      .text(270, caption), .text(271, kept), tiff.long(273, start), tiff.long(279, pixels.count),
      .bytes(700, Array(xmp.utf8)), .bytes(33_723, iptc), .bytes(34_377, photoshop(0x0404, iptc)),
      .bytes(34_737, placeBytes),
    ])
    tiff.bytes += placeBytes + Array(repeating: 0, count: start - tiff.bytes.count - placeBytes.count)
    return tiff.bytes + pixels + placeBytes
  }

  static func matroska() -> [UInt8] {
    func element(_ identifier: [UInt8], _ payload: [UInt8]) -> [UInt8] {
      identifier + [0x10] + big(payload.count, 3) + payload
    }
    let segment =
      element(
        [0x15, 0x49, 0xa9, 0x66], element([0x7b, 0xa9], Array(caption.utf8)) + element([0x4d, 0x80], Array(kept.utf8)))
      + element(
        [0x16, 0x54, 0xae, 0x6b], element([0xae], element([0x83], [1]) + element([0x86], Array("V_VP8".utf8))))
      + element([0x12, 0x54, 0xc3, 0x67], placeBytes)
      + element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], [0]) + element([0xa3], Array("frame\(kept)".utf8)))
    return element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Array("webm".utf8)))
      + element([0x18, 0x53, 0x80, 0x67], segment)
  }

  /// Every format, in both byte orders where there are two.
  static let all: [(name: String, bytes: [UInt8])] = [
    ("jpeg", jpeg()), ("jpeg big", jpeg(isLittle: false)), ("jpeg with film", jpeg(trailer: placeBytes + movie())),
    ("jpeg with picture", jpeg(trailer: placeBytes + jpeg())), ("movie", movie()),
    ("movie with camera motion", movie(sensor: "camm")), ("heic", heic()), ("heic little", heic(isLittle: true)),
    ("avif", heic(brand: "avif", codec: "av01")), ("png", png()), ("png little", png(isLittle: true)), ("webp", webp()),
    ("webp little", webp(isLittle: true)), ("gif", gif()), ("tiff", tiff(isLittle: true)),
    ("tiff big", tiff(isLittle: false)), ("matroska", matroska()),
  ]
}
