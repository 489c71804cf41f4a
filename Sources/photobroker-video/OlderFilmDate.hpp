#pragma once

#include <optional>

#include "CaptureDate.hpp"
#include "Input.hpp"

namespace media {

// Dates in the headers of older films that libavformat does not report.

/// The date of an AVI file's IDIT chunk, with the year first.
std::optional<CaptureDate> readAVIDate(const Input& input);

/// The creation date of a Windows video, in UTC.
std::optional<CaptureDate> readASFDate(const Input& input);

}  // namespace media
