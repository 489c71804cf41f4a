#include "MotionPhoto.hpp"

#include <cstdlib>

#include "Boxes.hpp"

namespace media {

namespace {

constexpr std::string_view camera = "google.com/photos/1.0/camera/";

/// Whether a movie begins at `offset`: a sane `ftyp` box, followed by another known box.
bool isMovie(Input& input, uint64_t offset) {
  std::string_view file = input.whole();
  if (offset == 0 || offset >= file.size() || file.size() - offset < 24) return false;
  std::string_view rest = file.substr(offset);
  if (!input.require(offset, 24)) return false;
  uint64_t first = big(rest, 0, 4);
  if (rest.substr(4, 4) != "ftyp" || first < 16 || first + 8 > rest.size() || !input.require(offset + first, 8))
    return false;
  std::string_view next = rest.substr(first + 4, 4);
  for (std::string_view known : {"moov", "mdat", "free", "wide", "skip", "uuid"}) {
    if (next == known) return true;
  }
  return false;
}

/// The bytes from the movie to the end, as `Container:Directory` announces them.
uint64_t announcedByDirectory(const Exiv2::XmpData& xmp) {
  uint64_t tail = 0;
  bool movie = false, inMovie = false;
  for (const auto& datum : xmp) {
    std::string name = datum.tagName(), value = datum.toString();
    auto ends = [&](std::string_view end) {
      return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    if (ends("Item:Semantic") || ends("Semantic")) {
      inMovie = value == "MotionPhoto";
      movie = movie || inMovie;
    }
    if (movie && (ends("Item:Length") || ends("Length"))) tail += std::strtoull(value.c_str(), nullptr, 10);
  }
  return movie ? tail : 0;
}

/// The last place of `word` in the available parts of the file.
size_t lastOf(std::string_view word, Input& input) {
  std::string_view file = input.whole();
  if (input.isWhole()) return file.rfind(word);
  for (auto part = input.parts().rbegin(); part != input.parts().rend(); ++part) {
    size_t found = file.substr(part->from, part->to - part->from).rfind(word);
    if (found != std::string_view::npos) return part->from + found;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::pair<uint64_t, uint64_t>> findMotionPhoto(Input& input, const Exiv2::XmpData& xmp) {
  std::string_view file = input.whole();
  uint64_t size = file.size();
  auto fromEnd = [&](uint64_t tail) -> std::optional<std::pair<uint64_t, uint64_t>> {
    if (tail == 0 || tail >= size || !isMovie(input, size - tail)) return {};
    return std::pair{size - tail, tail};
  };
  if (auto found = fromEnd(std::strtoull(text(xmp, camera, "MicroVideoOffset").c_str(), nullptr, 10))) return found;
  if (auto found = fromEnd(announcedByDirectory(xmp))) return found;
  // Samsung puts the movie behind a marker, and a directory behind the movie.
  constexpr std::string_view marker = "MotionPhoto_Data";
  size_t at = lastOf(marker, input);
  if (at != std::string_view::npos && isMovie(input, at + marker.size())) {
    return std::pair{uint64_t{at + marker.size()}, size - at - marker.size()};
  }
  if (input.missing()) return {};
  // The announced offset is wrong, as after an edit: search backwards for a movie.
  bool announced = text(xmp, camera, "MotionPhoto") == "1" || text(xmp, camera, "MicroVideo") == "1";
  if (announced && !input.require(0, size)) return {};
  for (size_t found = announced ? file.rfind("ftyp") : std::string_view::npos;
       found != std::string_view::npos && found > 4; found = file.rfind("ftyp", found - 1)) {
    if (isMovie(input, found - 4)) return std::pair{uint64_t{found - 4}, size - (found - 4)};
  }
  return {};
}

}  // namespace media
