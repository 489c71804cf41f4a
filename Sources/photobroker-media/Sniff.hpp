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

Format sniff(std::string_view head);

/// The format of a raw file with a TIFF header; `extension` chooses among formats that share their
/// structure.
Format rawFormat(bool isDNG, const std::string& extension);

/// Whether a name with this extension belongs to another format. Unknown and empty extensions
/// belong to any.
bool isMislabelled(const Format& format, const std::string& extension);

}  // namespace media
