#pragma once

#include <exiv2/exiv2.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "Facts.hpp"

namespace media {

/// exiv2's three blocks of one file.
struct Metadata {
  Exiv2::ExifData exif;
  Exiv2::XmpData xmp;
  Exiv2::IptcData iptc;
  bool isDamaged = false;
};

/// Everything that exiv2, or our own reading of PNG and HEIC, finds in the file; never throws.
Metadata readMetadata(std::string_view file, const Format& format, std::string_view heifExif);

/// Parses an XMP document; false when it is none. UTF-8 or UTF-16; a byte-order mark and white space in front are accepted.
bool parseXMP(std::string_view document, Exiv2::XmpData& xmp);

/// The value of an EXIF entry by group (`Image`, `Photo`, `GPSInfo`) and number; null when absent.
const Exiv2::Exifdatum* find(const Exiv2::ExifData& exif, const char* group, uint16_t tag);
std::string text(const Exiv2::ExifData& exif, const char* group, uint16_t tag);

/// The first value whose namespace ends in `space` and whose property is `name`; empty when absent.
/// Namespaces are compared, since a file chooses its own prefixes.
std::string text(const Exiv2::XmpData& xmp, std::string_view space, std::string_view name);
bool hasNamespace(const Exiv2::XmpData& xmp, std::string_view space);

void applyExif(const Exiv2::ExifData& exif, Facts& facts);
void applyIptc(const Exiv2::IptcData& iptc, Facts& facts);
/// `wins`: replaces what is already known (a sidecar) instead of filling gaps (XMP inside the file).
void applyXMP(const Exiv2::XmpData& xmp, bool wins, Facts& facts);

}  // namespace media
