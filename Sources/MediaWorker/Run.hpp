#pragma once

namespace media {

/// The main function of both programs.
int run(int count, char** arguments);

}  // namespace media
