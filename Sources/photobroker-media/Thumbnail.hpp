#pragma once

#include "Input.hpp"
#include "Pixels.hpp"

namespace media {

/// A thumbnail of whatever the input is: the picture, a raw file's largest embedded preview, a video's poster frame.
bool thumbnailOf(Input& input, const ThumbnailRequest& request, EncodedThumbnail& out, Problem& problem);

/// The first frame that can be shown at a tenth of the video, at most one second in: the very first is often black.
bool posterFrame(const Input& input, Frame& frame, Problem& problem);

}  // namespace media
