#pragma once

#include "Input.hpp"
#include "Pixels.hpp"

namespace media {

/// Makes a thumbnail from the input's picture, a raw file's largest embedded preview, or a video's
/// poster frame.
bool thumbnailOf(Input& input, const ThumbnailRequest& request, EncodedThumbnail& out, Problem& problem);

/// Decodes a frame at a tenth of the video, at most one second in: the very first frame is often
/// black.
bool posterFrame(const Input& input, Frame& frame, Problem& problem);

}  // namespace media
