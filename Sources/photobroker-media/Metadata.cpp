#include "Metadata.hpp"

#include <cctype>

namespace media {

namespace {

/// The TIFF bytes of a PNG's `eXIf` chunk, which exiv2 0.27 does not read.
std::string_view pngExif(std::string_view file) {
  for (size_t at = 8; at + 12 <= file.size();) {
    uint64_t length = 0;
    for (size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(file[at + i]);
    if (length > file.size() - at - 12) return {};
    if (file.substr(at + 4, 4) == "eXIf") return file.substr(at + 8, length);
    at += 12 + length;
  }
  return {};
}

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
  }
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

Metadata readMetadata(std::string_view file, const Format& format, std::string_view heifExif) {
  Metadata metadata;
  if (format.container != "gif") {
    try {
      auto image =
          Exiv2::ImageFactory::open(reinterpret_cast<const Exiv2::byte*>(file.data()), static_cast<long>(file.size()));
      image->readMetadata();
      metadata.exif = image->exifData();
      metadata.xmp = image->xmpData();
      metadata.iptc = image->iptcData();
    } catch (...) {
      metadata.isDamaged = true;
    }
  }
  if (format.container == "png") {
    if (metadata.exif.empty()) decodeExif(pngExif(file), metadata);
    metadata.texts = readTexts(file);
    decodeRawProfiles(metadata);
  }
  // exiv2 mixes the entries of all pictures in a HEIC file; only the primary one's are wanted.
  if (!heifExif.empty()) decodeExif(heifExif, metadata);
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
