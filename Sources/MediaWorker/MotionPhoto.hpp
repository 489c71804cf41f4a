#pragma once

#include <optional>
#include <utility>

#include "Input.hpp"
#include "Metadata.hpp"

namespace media {

/// Offset and length of the movie behind a still. XMP's announcement counts only if a movie really
/// begins there. In a partial input, Samsung's marker comes from its own directory, which
/// ``hasNeededParts`` required.
std::optional<std::pair<uint64_t, uint64_t>> findMotionPhoto(Input& input, const Exiv2::XmpData& xmp);

}  // namespace media
