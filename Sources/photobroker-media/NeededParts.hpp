#pragma once

#include "Facts.hpp"
#include "Input.hpp"

namespace media {

/// Whether an input that is there in parts has all that its facts depend on; where not, what is missing is noted in it. JPEG, HEIC
/// and AVIF say where their metadata is; films are read piece by piece anyway, which notes what is missing; of all other formats
/// every byte is needed.
bool hasNeededParts(Input& input, const Format& format);

}  // namespace media
