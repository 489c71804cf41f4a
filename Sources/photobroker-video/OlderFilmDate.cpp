#include "OlderFilmDate.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "Truncation.hpp"

namespace media {

namespace {

std::string beginning(const Input& input) {
  constexpr size_t headerBytes = 64 * 1024;
  std::string bytes(headerBytes, '\0');
  bytes.resize(input.read(0, bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace

std::optional<CaptureDate> readAVIDate(const Input& input) {
  constexpr size_t chunkHeader = 8, mostBytes = 64;
  std::string file = beginning(input);
  size_t at = file.find("IDIT");
  if (at == std::string::npos || file.size() - at < chunkHeader) return {};
  return parseDate(file.substr(at + chunkHeader, std::min<uint64_t>(little(file, at + 4, 4), mostBytes)));
}

std::optional<CaptureDate> readASFDate(const Input& input) {
  constexpr std::string_view properties("\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65", 16);
  // The object's size, the file's identifier and its size precede.
  constexpr size_t dateAt = 48, dateBytes = 8;
  constexpr int64_t ticks = 10'000'000, secondsTo1970 = 11'644'473'600, latest = 253'402'300'800;
  std::string file = beginning(input);
  size_t at = file.find(properties);
  if (at == std::string::npos || file.size() - at < dateAt + dateBytes) return {};
  uint64_t value = little(file, at + dateAt, dateBytes);
  auto seconds = static_cast<int64_t>(value / ticks) - secondsTo1970;
  if (seconds <= 0 || seconds >= latest) return {};
  CaptureDate date = dateFrom(seconds);
  date.microsecond = static_cast<uint32_t>(value % ticks / 10);
  date.offsetMinutes = 0;
  return date;
}

}  // namespace media
