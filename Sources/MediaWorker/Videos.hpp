#pragma once

#include "Facts.hpp"
#include "Input.hpp"
#include "Pixels.hpp"
#include "Preview.hpp"
#include "Protocol.hpp"

namespace media {

// The functions that need libav. photobroker-video has them. In photobroker-media, which loads no
// library for videos, they throw NeedsVideoProgram.

/// The answer is `video`: the broker repeats the request at photobroker-video.
struct NeedsVideoProgram {};

/// Silences libav.
void startVideos();

/// Reads the date that an image sequence's film states.
void readSequenceDate(const Input& input, Facts& facts);
void readVideoFacts(Input& input, Facts& facts);

/// Decodes a frame at a tenth of the video, at most one second in: the very first frame is often
/// black.
bool posterFrame(const Input& input, Frame& frame, Problem& problem);

/// Writes the preview to `output`, upright and without any metadata. A slowly decoded video gives a
/// shorter one.
bool makePreview(const Input& input, const PreviewRequest& request, int output, Preview& preview, Problem& problem);

}  // namespace media
