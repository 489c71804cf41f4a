#pragma once

#include <exiv2/exiv2.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "Boxes.hpp"
#include "Facts.hpp"
#include "PNGTexts.hpp"

namespace media {

/// exiv2's three blocks of one file, and a PNG's texts.
struct Metadata {
  Exiv2::ExifData exif;
  Exiv2::XmpData xmp;
  Exiv2::IptcData iptc;
  Texts texts;
  /// The picture's size as exiv2 reads it; 0 if it does not.
  uint32_t width = 0, height = 0;
  bool isDamaged = false;
};

/// Reads the metadata known to exiv2, PNG and HEIC metadata by own code, and that of other files by
/// libvips; never throws.
Metadata readMetadata(std::string_view file, const Format& format, const StillBoxes& boxes = {});

/// Parses an XMP document, UTF-8 or UTF-16, with an optional byte-order mark and leading white
/// space. False if malformed.
bool parseXMP(std::string_view document, Exiv2::XmpData& xmp);

/// The value of an EXIF entry by group (`Image`, `Photo`, `GPSInfo`) and number; null when absent.
const Exiv2::Exifdatum* find(const Exiv2::ExifData& exif, const char* group, uint16_t tag);

/// A number of an entry; exiv2 0.28 renamed toLong.
template <typename Datum> int64_t integer(const Datum& datum, long index = 0) {
#if EXIV2_TEST_VERSION(0, 28, 0)
  return datum.toInt64(static_cast<size_t>(index));
#else
  return datum.toLong(index);
#endif
}

std::string text(const Exiv2::ExifData& exif, const char* group, uint16_t tag);

/// The first value of the property `name` in a namespace that ends in `space`; empty if absent.
/// Namespaces are compared, because files choose their own prefixes.
std::string text(const Exiv2::XmpData& xmp, std::string_view space, std::string_view name);
/// UTF-8 from UTF-16 with a byte-order mark; any other text unchanged.
std::string utf8(std::string_view text);
bool hasNamespace(const Exiv2::XmpData& xmp, std::string_view space);

void applyExif(const Exiv2::ExifData& exif, Facts& facts);
void applyIptc(const Exiv2::IptcData& iptc, Facts& facts);
/// Fills gaps from the texts that Windows writes, in UTF-16.
void applyWindowsTexts(const Exiv2::ExifData& exif, Facts& facts);
/// Fills a missing date from a PNG's texts.
void applyTexts(const Texts& texts, Facts& facts);
/// `wins`: a sidecar's values replace known ones; XMP inside the file only fills gaps.
void applyXMP(const Exiv2::XmpData& xmp, bool wins, Facts& facts);

}  // namespace media
