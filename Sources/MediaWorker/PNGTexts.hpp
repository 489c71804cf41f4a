#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace media {

/// Keywords and their texts, uncompressed.
using Texts = std::vector<std::pair<std::string, std::string>>;

struct PNGTexts {
  Texts texts;
  /// The TIFF bytes of the `eXIf` chunk, which exiv2 0.27 does not read.
  std::string_view exif;
};

/// Reads a PNG's texts, which libvips drops if they are no UTF-8, and its `eXIf` chunk.
PNGTexts readPNGTexts(std::string_view file);

}  // namespace media
