#include "Boxes.hpp"
#include "Truncation.hpp"

namespace media {

bool isTruncatedRAF(std::string_view file) {
  // Header fields with place and length: of the preview, of the sensor data's description, and of
  // that data.
  constexpr size_t parts[] = {84, 92, 100}, header = 108;
  if (file.size() < header) return true;
  for (size_t part : parts) {
    uint64_t at = big(file, part, 4), length = big(file, part + 4, 4);
    if (length > 0 && at + length > file.size()) return true;
  }
  return false;
}

bool isTruncatedMRW(std::string_view file) {
  using namespace std::string_view_literals;
  constexpr size_t header = 8, blockHeader = 8, dimensions = 17;
  if (file.size() < header) return true;
  uint64_t sensorData = header + big(file, 4, 4);
  if (sensorData > file.size()) return true;
  for (uint64_t at = header; at + blockHeader + dimensions <= sensorData; at += blockHeader + big(file, at + 4, 4)) {
    if (file.substr(at, 4) != "\0PRD"sv) continue;
    // After eight bytes of version: sensor height and width, picture height and width, bits per
    // pixel.
    uint64_t block = at + blockHeader, pixels = big(file, block + 8, 2) * big(file, block + 10, 2);
    return pixels * big(file, block + 16, 1) / 8 > file.size() - sensorData;
  }
  return false;
}

}  // namespace media
