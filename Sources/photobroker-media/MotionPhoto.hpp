#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "Metadata.hpp"

namespace media {

/// Where the movie behind a still is: offset and length in the file. What XMP announces is believed only if a movie
/// really begins there; a cut-off movie is none.
std::optional<std::pair<uint64_t, uint64_t>> findMotionPhoto(std::string_view file, const Exiv2::XmpData& xmp);

}  // namespace media
