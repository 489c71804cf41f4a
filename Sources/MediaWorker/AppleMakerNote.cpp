#include "AppleMakerNote.hpp"

#include "Boxes.hpp"

namespace media {

AppleMakerNote readAppleMakerNote(std::string_view note) {
  using namespace std::string_view_literals;
  constexpr size_t directory = 14;
  constexpr uint64_t ascii = 2, longestIdentifier = 128;
  AppleMakerNote found;
  if (note.substr(0, 10) != "Apple iOS\0"sv || note.size() < directory + 2 || note.substr(12, 2) != "MM") return found;
  uint64_t count = big(note, directory, 2);
  for (uint64_t i = 0; i < count; ++i) {
    size_t entry = directory + 2 + i * 12;
    if (entry + 12 > note.size()) break;
    uint64_t tag = big(note, entry, 2), length = big(note, entry + 4, 4);
    if ((tag != 0x000b && tag != 0x0011) || big(note, entry + 2, 2) != ascii || length > longestIdentifier) continue;
    uint64_t at = length <= 4 ? entry + 8 : big(note, entry + 8, 4);
    if (at > note.size() || length > note.size() - at) continue;
    std::string value(note.substr(at, length));
    value = value.substr(0, value.find('\0'));
    (tag == 0x000b ? found.burst : found.content) = value;
  }
  return found;
}

}  // namespace media
