#pragma once

#include "Facts.hpp"
#include "Input.hpp"

namespace media {

/// Whether a partial input has all bytes that its facts depend on; records missing ones. JPEG, HEIC
/// and AVIF tell where their metadata is. Movies are read in pieces, which records missing bytes
/// anyway. All other formats need every byte.
bool hasNeededParts(Input& input, const Format& format);

}  // namespace media
