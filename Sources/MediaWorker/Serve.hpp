#pragma once

namespace media {

/// Answers requests until the broker closes the socket or half of the CPU time is used.
void serve();

}  // namespace media
