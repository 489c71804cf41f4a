#pragma once

#include <optional>
#include <utility>

#include "Input.hpp"
#include "Metadata.hpp"

namespace media {

/// Where the movie behind a still is: offset and length in the file. What XMP announces is believed only if a movie
/// really begins there; a cut-off movie is none.
/// Of an input in parts Samsung's marker is one of its own directory, which ``hasNeededParts`` asked for.
std::optional<std::pair<uint64_t, uint64_t>> findMotionPhoto(Input& input, const Exiv2::XmpData& xmp);

}  // namespace media
