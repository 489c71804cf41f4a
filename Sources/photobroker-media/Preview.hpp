#pragma once

#include "Input.hpp"
#include "Protocol.hpp"

namespace media {

/// The beginning of a video, small, as WebM (VP8 and Opus).
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

/// Writes the preview to `output`, upright and without any metadata. A video that is slow to decode gives a shorter one.
bool makePreview(const Input& input, const PreviewRequest& request, int output, Preview& preview, Problem& problem);

}  // namespace media
