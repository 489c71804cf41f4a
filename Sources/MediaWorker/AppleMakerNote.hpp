#pragma once

#include <string>
#include <string_view>

namespace media {

/// The two entries of Apple's MakerNote that tie files together; empty when absent.
struct AppleMakerNote {
  std::string burst;    // tag 0x000b, equal in all frames of a burst
  std::string content;  // tag 0x0011, equal in still and movie of a Live Photo
};

/// Reads `Apple iOS\0`, two version bytes, `MM`, and an IFD whose offsets count from the note's
/// first byte. exiv2 of Debian 12 does not know this note.
AppleMakerNote readAppleMakerNote(std::string_view note);

}  // namespace media
