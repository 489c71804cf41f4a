#pragma once

#include <optional>

#include "CaptureDate.hpp"
#include "Movie.hpp"

namespace media {

/// The camera's date in an AVCHD film, from the first pictures of its H.264 stream. Reads packets,
/// so the movie must be opened anew for decoding.
std::optional<CaptureDate> readAVCHDDate(Movie& movie);

}  // namespace media
