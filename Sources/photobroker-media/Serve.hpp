#pragma once

namespace media {

/// Answers requests until the broker closes the socket or half of the CPU time is used up.
void serve();

}  // namespace media
