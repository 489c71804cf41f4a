#include "Metadata.hpp"

#include <cstring>

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

/// Converts UTF-16 with a byte-order mark to UTF-8; returns any other document unchanged.
std::string utf8(std::string_view document) {
  bool little = document.substr(0, 2) == "\xff\xfe", big = document.substr(0, 2) == "\xfe\xff";
  if (!little && !big) return std::string(document);
  auto unit = [&](size_t at) -> uint32_t {
    if (at + 2 > document.size()) return 0;
    auto first = static_cast<unsigned char>(document[at]), second = static_cast<unsigned char>(document[at + 1]);
    return little ? first | second << 8 : first << 8 | second;
  };
  std::string out;
  for (size_t at = 2; at + 2 <= document.size(); at += 2) {
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
  if (metadata.exif.empty() && format.container == "png") decodeExif(pngExif(file), metadata);
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
