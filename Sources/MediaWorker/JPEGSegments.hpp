#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace media {

/// Calls `visit` for each segment of a JPEG up to the first scan, and returns the scan's place; `npos`
/// if there is none. Bytes between segments are skipped, as decoders do.
size_t eachSegment(std::string_view jpeg,
                   const std::function<void(unsigned char marker, std::string_view content)>& visit);

}  // namespace media
