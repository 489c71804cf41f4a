#pragma once

namespace media {

void listAttempts();

/// Tries one forbidden action after the lockdown. Prints `NAME: refused: REASON` and returns 0, or
/// `NAME: worked` and returns 1; 2 for an unknown name. The filter ends the process for many
/// actions: death by SIGSYS is a refusal, too.
int attempt(const char* name);

}  // namespace media
