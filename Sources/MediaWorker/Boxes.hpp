#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace media {

/// One box of an ISO base media file (HEIC, AVIF, MP4, QuickTime).
struct Box {
  std::string type;
  uint64_t offset;  // of the box in the file
  uint64_t size;    // with its header, as the file states it
  std::string_view payload;  // cut at the end of the data
};

/// Calls `visit` for each box in `data`, until it returns false or a box is malformed.
void eachBox(std::string_view data, uint64_t offset, const std::function<bool(const Box&)>& visit);

/// Facts about the primary picture in the boxes of a HEIC or AVIF file.
struct StillBoxes {
  uint32_t codedWidth = 0, codedHeight = 0;  // `ispe`
  uint32_t width = 0, height = 0;            // as displayed, with `clap`, `irot` and `imir`
  uint8_t orientation = 1;                   // `irot` and `imir` in their order, as an EXIF orientation
  bool isSequence = false;                   // brand `avis` or `msf1`
  bool isHighDynamicRange = false;           // `nclx` with the PQ or HLG curve
  bool isTruncated = false;                  // a box reaches beyond the end
  std::optional<std::pair<uint64_t, uint64_t>> movie;  // offset and length of an `mpvd` box's content
  std::vector<std::pair<uint64_t, uint64_t>> items;  // offset and length in the file of all items but coded pictures
  std::vector<std::pair<uint64_t, uint64_t>> pictures;  // the same of the coded pictures
  std::string exif;                          // TIFF bytes of the `Exif` item that describes the primary picture
  std::string xmp;                           // its XMP document
};

StillBoxes readStillBoxes(std::string_view file);

/// A copy of a HEIC file that libheif opens: with zeros for a missing end, and without references to
/// auxiliary pictures. Empty if the file needs neither.
std::string mended(std::string_view file);

/// Whether a top-level box of a movie reaches beyond the end, or is missing there.
bool isMovieTruncated(const std::function<size_t(uint64_t, void*, size_t)>& read, uint64_t size);

uint64_t big(std::string_view bytes, size_t at, size_t count);

}  // namespace media
