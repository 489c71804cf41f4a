#include "AVCHDDate.hpp"

#include <cstdio>
#include <string_view>

#include "Decoding.hpp"

namespace media {

namespace {

/// The entries of the camera's data in one picture: a number and four bytes each. Finds the entries
/// of the date, 0x18 and 0x19, and undoes H.264's escapes: 3 behind two zeros is no data.
/// https://exiftool.org/TagNames/H264.html
std::optional<CaptureDate> dateIn(std::string_view picture) {
  constexpr std::string_view start("\x17\xee\x8c\x60\xf8\x4d\x11\xd9\x8c\xd6\x08\0\x20\x0c\x9a\x66MDPM", 20);
  constexpr size_t entryBytes = 5, mostBytes = 1 + 255 * entryBytes;
  size_t at = picture.find(start);
  if (at == std::string_view::npos) return {};
  std::string data;
  int zeros = 0;
  for (char byte : picture.substr(at + start.size())) {
    if (data.size() == mostBytes) break;
    bool isEscape = byte == 3 && zeros >= 2;
    zeros = byte == 0 ? zeros + 1 : 0;
    if (!isEscape) data.push_back(byte);
  }
  auto at8 = [&](size_t i) -> unsigned { return i < data.size() ? static_cast<unsigned char>(data[i]) : 0; };
  for (size_t i = 0, entry = 1; i < at8(0) && entry + 2 * entryBytes <= data.size(); ++i, entry += entryBytes) {
    if (at8(entry) != 0x18 || at8(entry + entryBytes) != 0x19) continue;
    char text[40];
    std::snprintf(text, sizeof text, "%02x%02x:%02x:%02x %02x:%02x:%02x", at8(entry + 2), at8(entry + 3),
                  at8(entry + 4), at8(entry + 6), at8(entry + 7), at8(entry + 8), at8(entry + 9));
    auto date = parseDate(text);
    // Sign, hours and a half hour; all bits are set if the zone is unknown.
    unsigned zone = at8(entry + 1);
    int minutes = static_cast<int>((zone >> 1 & 15) * 60 + (zone & 1) * 30) * (zone & 0x20 ? -1 : 1);
    if (date && zone != 0xff && minutes >= -12 * 60 && minutes <= 14 * 60)
      date->offsetMinutes = static_cast<int16_t>(minutes);
    return date;
  }
  return {};
}

}  // namespace

std::optional<CaptureDate> readAVCHDDate(Movie& movie) {
  constexpr int pictureLimit = 60;
  AVStream* stream = movie.video();
  Packet packet(av_packet_alloc());
  if (!stream || !packet || stream->codecpar->codec_id != AV_CODEC_ID_H264) return {};
  for (int i = 0; i < pictureLimit && av_read_frame(movie.context(), packet.get()) >= 0; ++i) {
    auto date = packet->stream_index == stream->index && packet->size > 0
                    ? dateIn({reinterpret_cast<const char*>(packet->data), static_cast<size_t>(packet->size)})
                    : std::nullopt;
    av_packet_unref(packet.get());
    if (date) return date;
  }
  return {};
}

}  // namespace media
