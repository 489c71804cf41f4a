#pragma once

#include <string>
#include <string_view>

#include "Protocol.hpp"

namespace media {

/// A file's format, recognised by its first bytes.
struct Format {
  Kind kind = Kind::unknown;
  std::string container;
  std::string mimeType;
  bool isRaw = false;
  /// A TIFF header with camera data may be a raw format; only its tags tell.
  bool isTiffLike = false;
};

/// Decides whether a file is a photo or a video. A photo that its decoder refuses only has no
/// thumbnail.
Format sniff(std::string_view head);

/// The format of a raw file with a TIFF header. Formats of several makers share that structure.
Format rawFormat(bool isDNG, const std::string& make, const std::string& model);

}  // namespace media
