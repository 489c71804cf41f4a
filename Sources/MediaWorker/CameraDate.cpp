#include "CameraDate.hpp"

#include <cstdio>
#include <string>

#include "Boxes.hpp"
#include "JPEGSegments.hpp"
#include "Truncation.hpp"

namespace media {

namespace {

using namespace std::string_view_literals;

/// The content of FLIR's segments, which continue each other.
std::string flirData(std::string_view jpeg) {
  constexpr unsigned char application1 = 0xe1;
  constexpr size_t limitBytes = 1 << 20, countBytes = 3;
  constexpr auto name = "FLIR\0"sv;
  std::string data;
  eachSegment(jpeg, [&](unsigned char marker, std::string_view content) {
    bool isFLIR = marker == application1 && content.substr(0, name.size()) == name;
    if (isFLIR && content.size() > name.size() + countBytes && data.size() < limitBytes)
      data += content.substr(name.size() + countBytes);
  });
  return data;
}

uint64_t number(std::string_view data, size_t at, size_t bytes, bool isLittle) {
  return isLittle ? little(data, at, bytes) : big(data, at, bytes);
}

}  // namespace

std::optional<CaptureDate> readFLIRDate(std::string_view jpeg) {
  constexpr size_t entryBytes = 32, maximumRecords = 64, dateAt = 900, dateBytes = 10;
  constexpr uint64_t cameraInformation = 0x20;
  std::string data = flirData(jpeg);
  if (data.compare(0, 4, "FFF\0"sv) != 0) return {};
  // Versions are from 100 on: their order of bytes is that of the directory.
  bool isLittle = big(data, 20, 4) >= 200;
  uint64_t directory = number(data, 24, 4, isLittle), count = number(data, 28, 4, isLittle);
  for (uint64_t i = 0; i < count && i < maximumRecords; ++i) {
    uint64_t entry = directory + i * entryBytes;
    if (number(data, entry, 2, isLittle) != cameraInformation) continue;
    uint64_t record = number(data, entry + 12, 4, isLittle), length = number(data, entry + 16, 4, isLittle);
    if (length < dateAt + dateBytes || record + dateAt + dateBytes > data.size()) return {};
    // A record has an order of its own, which its first number, two, tells.
    bool isOwnLittle = data[record] != 0;
    auto seconds = static_cast<int64_t>(number(data, record + dateAt, 4, isOwnLittle));
    auto west = static_cast<int16_t>(number(data, record + dateAt + 8, 2, isOwnLittle));
    if (seconds == 0 || west < -840 || west > 720) return {};
    CaptureDate date = dateFrom(seconds - west * 60);
    date.microsecond = static_cast<uint32_t>(number(data, record + dateAt + 4, 4, isOwnLittle) & 0xffff) % 1000 * 1000;
    date.offsetMinutes = static_cast<int16_t>(-west);
    return date;
  }
  return {};
}

std::optional<CaptureDate> readReconyxDate(std::string_view note) {
  struct Model { std::string_view mark; size_t at, bytes; bool isDayFirst; };
  constexpr Model models[] = {{"\x01\xf1"sv, 22, 2, false},        {"RECONYXUF\0"sv, 59, 1, true},
                              {"RECONYXMF\0"sv, 47, 1, true},      {"RECONYXH2\0"sv, 62, 2, true},
                              {"RECONYXHF4K\0"sv, 78, 2, false}};
  for (const Model& model : models) {
    if (note.substr(0, model.mark.size()) != model.mark || note.size() < model.at + 5 * model.bytes + 2) continue;
    // Second, minute, hour, day and month or month and day, year.
    auto part = [&](size_t i, size_t bytes) {
      return static_cast<int>(little(note, model.at + i * model.bytes, bytes));
    };
    int parts[5];
    for (size_t i = 0; i < 5; ++i) parts[i] = part(i, model.bytes);
    char text[64];
    std::snprintf(text, sizeof text, "%04d:%02d:%02d %02d:%02d:%02d", part(5, 2), parts[model.isDayFirst ? 4 : 3],
                  parts[model.isDayFirst ? 3 : 4], parts[2], parts[1], parts[0]);
    return parseDate(text);
  }
  return {};
}

}  // namespace media
