#pragma once

#include <optional>
#include <string_view>

#include "CaptureDate.hpp"

namespace media {

/// The date in FLIR's own segments of a JPEG, with its offset.
std::optional<CaptureDate> readFLIRDate(std::string_view jpeg);

/// The date in the maker's notes of Reconyx' wildlife cameras, in local time.
std::optional<CaptureDate> readReconyxDate(std::string_view makerNote);

}  // namespace media
