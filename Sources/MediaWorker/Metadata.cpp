#include "Metadata.hpp"

#include <algorithm>
#include <cctype>

#include "Pixels.hpp"

namespace media {

namespace {

void decodeExif(std::string_view tiff, Metadata& metadata) {
  if (tiff.substr(0, 6) == std::string_view("Exif\0\0", 6)) tiff.remove_prefix(6);
  if (tiff.empty() || tiff.size() > 16 << 20) return;
  metadata.exif.clear();
  try {
    Exiv2::ExifParser::decode(metadata.exif, reinterpret_cast<const Exiv2::byte*>(tiff.data()),
                              static_cast<uint32_t>(tiff.size()));
  } catch (...) {
    metadata.isDamaged = true;
  }
}

/// Decodes the IPTC data among Photoshop's resources.
void decodeIptc(std::string_view resources, Metadata& metadata) {
  auto* bytes = reinterpret_cast<const Exiv2::byte*>(resources.data());
  const Exiv2::byte* record = nullptr;
  uint32_t headerBytes = 0, dataBytes = 0;
  try {
#if EXIV2_TEST_VERSION(0, 28, 0)
    if (Exiv2::Photoshop::locateIptcIrb(bytes, resources.size(), &record, headerBytes, dataBytes)) return;
#else
    if (Exiv2::Photoshop::locateIptcIrb(bytes, static_cast<long>(resources.size()), &record, &headerBytes, &dataBytes))
      return;
#endif
    Exiv2::IptcParser::decode(metadata.iptc, record + headerBytes, dataBytes);
  } catch (...) {
    metadata.isDamaged = true;
  }
}

/// Decodes the hexadecimal digits of ImageMagick's `Raw profile type` texts. The stated length is
/// ignored: exiv2 refuses profiles with a wrong one, and other programs read them.
std::string rawProfile(const std::string& text) {
  // A line with the profile's name and one with its length precede the digits.
  size_t at = text.find_first_not_of('\n');
  for (int line = 0; line < 2 && at != std::string::npos; ++line) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  std::string bytes;
  for (int high = -1; at < text.size(); ++at) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) continue;
    if (!std::isxdigit(static_cast<unsigned char>(text[at]))) break;
    int digit = text[at] <= '9' ? text[at] - '0' : (text[at] | 32) - 'a' + 10;
    if (high >= 0) bytes.push_back(static_cast<char>(high << 4 | digit));
    high = high < 0 ? digit : -1;
  }
  return bytes;
}

void decodeRawProfiles(Metadata& metadata) {
  constexpr std::string_view type = "Raw profile type ", xmpHeader("http://ns.adobe.com/xap/1.0/\0", 29);
  for (auto& [keyword, text] : metadata.texts) {
    if (keyword.compare(0, type.size(), type) != 0) continue;
    std::string kind = keyword.substr(type.size()), profile = rawProfile(text);
    std::string_view bytes(profile);
    bool isXMP = kind == "xmp" || bytes.substr(0, xmpHeader.size()) == xmpHeader;
    if (bytes.substr(0, xmpHeader.size()) == xmpHeader) bytes.remove_prefix(xmpHeader.size());
    if (isXMP && metadata.xmp.empty()) parseXMP(bytes, metadata.xmp);
    if (!isXMP && (kind == "exif" || kind == "APP1") && metadata.exif.empty()) decodeExif(bytes, metadata);
    // exiv2 reads the kind `iptc` itself.
    if (kind == "8bim" && metadata.iptc.empty()) decodeIptc(bytes, metadata);
  }
}

/// The XMP document of a GIF: it stands in the file as it is, and bytes that are no text follow.
std::string_view xmpOfGIF(std::string_view file) {
  constexpr std::string_view mark = "XMP DataXMP";
  size_t at = file.find(mark), end = file.find("\x01\xff\xfe", at);
  return end == std::string_view::npos ? std::string_view() : file.substr(at + mark.size(), end - at - mark.size());
}

bool endsWith(std::string_view whole, std::string_view end) {
  return whole.size() >= end.size() && whole.substr(whole.size() - end.size()) == end;
}

std::string spaceOf(const Exiv2::Xmpdatum& datum) {
  try {
    return Exiv2::XmpProperties::ns(datum.groupName());
  } catch (...) {
    return {};
  }
}

}  // namespace

std::string utf8(std::string_view text) {
  bool little = text.substr(0, 2) == "\xff\xfe", big = text.substr(0, 2) == "\xfe\xff";
  if (!little && !big) return std::string(text);
  auto unit = [&](size_t at) -> uint32_t {
    if (at + 2 > text.size()) return 0;
    auto first = static_cast<unsigned char>(text[at]), second = static_cast<unsigned char>(text[at + 1]);
    return little ? first | second << 8 : first << 8 | second;
  };
  std::string out;
  for (size_t at = 2; at + 2 <= text.size(); at += 2) {
    uint32_t code = unit(at);
    if (code >= 0xd800 && code < 0xdc00) {
      uint32_t low = unit(at += 2);
      code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
    }
    auto push = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) { push(code); continue; }
    if (code < 0x800) push(0xc0 | code >> 6);
    else if (code < 0x10000) { push(0xe0 | code >> 12); push(0x80 | (code >> 6 & 0x3f)); }
    else { push(0xf0 | code >> 18); push(0x80 | (code >> 12 & 0x3f)); push(0x80 | (code >> 6 & 0x3f)); }
    push(0x80 | (code & 0x3f));
  }
  return out;
}

Metadata readMetadata(std::string_view file, const Format& format, const StillBoxes& boxes) {
  constexpr int maximumSide = 1'000'000;
  Metadata metadata;
  if (format.container != "gif") {
    try {
      auto image =
          Exiv2::ImageFactory::open(reinterpret_cast<const Exiv2::byte*>(file.data()), static_cast<long>(file.size()));
      // What was read before the damage counts.
      try {
        image->readMetadata();
      } catch (...) {
        metadata.isDamaged = true;
      }
      metadata.exif = image->exifData();
      metadata.xmp = image->xmpData();
      metadata.iptc = image->iptcData();
      metadata.width = static_cast<uint32_t>(std::clamp<int64_t>(image->pixelWidth(), 0, maximumSide));
      metadata.height = static_cast<uint32_t>(std::clamp<int64_t>(image->pixelHeight(), 0, maximumSide));
    } catch (...) {
      metadata.isDamaged = true;
    }
  }
  if (format.container == "gif") parseXMP(xmpOfGIF(file), metadata.xmp);
  if (format.container == "png") {
    PNGTexts png = readPNGTexts(file);
    if (metadata.exif.empty()) decodeExif(png.exif, metadata);
    metadata.texts = std::move(png.texts);
    for (auto& [keyword, text] : metadata.texts) {
      if (keyword == "XML:com.adobe.xmp" && metadata.xmp.empty()) parseXMP(text, metadata.xmp);
    }
    decodeRawProfiles(metadata);
  }
  // exiv2 mixes the entries of all pictures in a HEIC file; only the primary one's are wanted.
  if (!boxes.exif.empty()) decodeExif(boxes.exif, metadata);
  if (!boxes.xmp.empty()) parseXMP(boxes.xmp, metadata.xmp);
  // exiv2 0.27 reads neither BigTIFF nor JPEG XL.
  if (metadata.isDamaged && metadata.exif.empty() && metadata.xmp.empty()) {
    PixelMetadata found = readPixelMetadata(file);
    decodeExif(found.exif, metadata);
    parseXMP(found.xmp, metadata.xmp);
  }
  return metadata;
}

bool parseXMP(std::string_view document, Exiv2::XmpData& xmp) {
  constexpr size_t limitBytes = 4 << 20;
  if (document.empty() || document.size() > limitBytes) return false;
  std::string text = utf8(document);
  size_t start = text.find('<');
  if (start == std::string::npos) return false;
  try {
    return Exiv2::XmpParser::decode(xmp, text.substr(start)) == 0;
  } catch (...) {
    return false;
  }
}

const Exiv2::Exifdatum* find(const Exiv2::ExifData& exif, const char* group, uint16_t tag) {
  for (const auto& datum : exif) {
    if (datum.tag() == tag && datum.groupName() == group) return &datum;
  }
  return nullptr;
}

std::string text(const Exiv2::ExifData& exif, const char* group, uint16_t tag) {
  const auto* datum = find(exif, group, tag);
  return datum ? datum->toString() : std::string();
}

std::string text(const Exiv2::XmpData& xmp, std::string_view space, std::string_view name) {
  for (const auto& datum : xmp) {
    if (datum.tagName() != name || !endsWith(spaceOf(datum), space)) continue;
    std::string value = datum.toString(0);
    // A language alternative prints as `lang="x-default" words`.
    if (datum.typeId() == Exiv2::langAlt) {
      const auto* alternatives = dynamic_cast<const Exiv2::LangAltValue*>(&datum.value());
      if (!alternatives || alternatives->value_.empty()) return {};
      auto standard = alternatives->value_.find("x-default");
      return standard != alternatives->value_.end() ? standard->second : alternatives->value_.begin()->second;
    }
    return value;
  }
  return {};
}

bool hasNamespace(const Exiv2::XmpData& xmp, std::string_view space) {
  for (const auto& datum : xmp) {
    if (endsWith(spaceOf(datum), space)) return true;
  }
  return false;
}

}  // namespace media
