#pragma once

#include "Movie.hpp"

namespace media {

/// Whether a camera made the film that writes its local clock where the container asks for UTC.
bool isLocalClock(const Input& input, const Movie& movie);

}  // namespace media
