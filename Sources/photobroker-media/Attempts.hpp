#pragma once

namespace media {

/// Prints the names of all forbidden actions, one a line.
void listAttempts();

/// Tries one forbidden action after the lockdown. Prints `NAME: refused: REASON` and answers 0, or `NAME: worked` and
/// answers 1; 2 for an unknown name. Many are ended by the filter before they return: death by SIGSYS is a refusal too.
int attempt(const char* name);

}  // namespace media
