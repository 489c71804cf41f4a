#pragma once

#include "Input.hpp"
#include "Pixels.hpp"

namespace media {

/// Makes a thumbnail from the input's picture, a raw file's largest embedded preview, or a video's
/// poster frame.
bool thumbnailOf(Input& input, const ThumbnailRequest& request, EncodedThumbnail& out, Problem& problem);

}  // namespace media
