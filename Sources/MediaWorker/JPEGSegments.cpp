#include "JPEGSegments.hpp"

#include "Boxes.hpp"

namespace media {

size_t eachSegment(std::string_view jpeg,
                   const std::function<void(unsigned char marker, std::string_view content)>& visit) {
  constexpr unsigned char stuffed = 0, temporary = 1, fill = 0xff, restart = 0xd0, startOfImage = 0xd8, scan = 0xda;
  constexpr size_t markerBytes = 2, lengthBytes = 2;
  size_t at = markerBytes;
  while ((at = jpeg.find('\xff', at)) != std::string_view::npos && at + markerBytes + lengthBytes <= jpeg.size()) {
    auto marker = static_cast<unsigned char>(jpeg[at + 1]);
    if (marker == scan) return at;
    if (marker == fill) { ++at; continue; }
    at += markerBytes;
    if (marker == stuffed || marker == temporary || (marker >= restart && marker <= startOfImage)) continue;
    uint64_t length = big(jpeg, at, lengthBytes);
    if (length >= lengthBytes) visit(marker, jpeg.substr(at + lengthBytes, length - lengthBytes));
    at += length;
  }
  return std::string_view::npos;
}

}  // namespace media
