#pragma once

#include <cstdint>

namespace media {

/// A request for the beginning of a video as a small WebM file (VP8 and Opus).
struct PreviewRequest {
  /// The longest edge in pixels.
  uint16_t pixels;
  uint16_t seconds;
};

struct Preview {
  uint32_t width = 0, height = 0;
  uint32_t milliseconds = 0;
  uint64_t bytes = 0;
};

}  // namespace media
