#include "Picture.hpp"

#include <algorithm>
#include <array>

#include "Murmur3.hpp"

namespace media {

namespace {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;  // offsets and lengths

constexpr size_t maximumRanges = 1 << 20;
/// Bytes at both ends that stand for a film or a partial file.
constexpr uint64_t endBytes = 16 * 1024;

/// Everything from a JPEG's first scan on. Metadata stands before it.
Ranges jpegScans(std::string_view file) {
  for (uint64_t at = 2; at + 4 <= file.size();) {
    uint64_t first = big(file, at, 1), marker = big(file, at + 1, 1);
    if (first == 0xff && marker == 0xda) return {{at, file.size() - at}};
    at += first != 0xff || marker == 0xff ? 1 : 2 + big(file, at + 2, 2);
  }
  return {};
}

Ranges pngData(std::string_view file) {
  Ranges found;
  for (uint64_t at = 8; at + 12 <= file.size() && found.size() < maximumRanges;) {
    uint64_t length = std::min<uint64_t>(big(file, at, 4), file.size() - at - 12);
    std::string_view type = file.substr(at + 4, 4);
    if (type == "IDAT" || type == "fdAT") found.emplace_back(at + 8, length);
    at += 12 + length;
  }
  return found;
}

Ranges webpData(std::string_view file) {
  Ranges found;
  for (uint64_t at = 12; at + 8 <= file.size() && found.size() < maximumRanges;) {
    uint64_t length =
        big(file, at + 7, 1) << 24 | big(file, at + 6, 1) << 16 | big(file, at + 5, 1) << 8 | big(file, at + 4, 1);
    length = std::min<uint64_t>(length, file.size() - at - 8);
    std::string_view type = file.substr(at, 4);
    if (type == "VP8 " || type == "VP8L" || type == "ALPH" || type == "ANMF") found.emplace_back(at + 8, length);
    at += 8 + length + (length & 1);
  }
  return found;
}

/// The strips and tiles of all pictures in a TIFF or a raw file of its structure.
Ranges tiffData(const Exiv2::ExifData& exif) {
  Ranges found;
  for (const char* group : {"Image", "Image2", "Image3", "SubImage1", "SubImage2", "SubImage3", "SubImage4"}) {
    for (auto [offset, length] : {std::pair<uint16_t, uint16_t>{0x0111, 0x0117}, {0x0144, 0x0145}}) {
      const auto *offsets = find(exif, group, offset), *lengths = find(exif, group, length);
      if (!offsets || !lengths || offsets->count() != lengths->count()) continue;
      for (long i = 0; i < static_cast<long>(offsets->count()) && found.size() < maximumRanges; ++i)
        found.emplace_back(static_cast<uint32_t>(integer(*offsets, i)), static_cast<uint32_t>(integer(*lengths, i)));
    }
  }
  return found;
}

/// The media of a movie, or of a raw file of its structure.
Ranges mediaBoxes(Input& input) {
  Ranges found;
  uint64_t at = 0;
  for (int boxes = 0; at + 8 <= input.size() && boxes < 1000; ++boxes) {
    char header[16];
    size_t wanted = static_cast<size_t>(std::min<uint64_t>(sizeof header, input.size() - at));
    if (input.available(at, wanted) < wanted || input.read(at, header, wanted) < wanted) return {};
    std::string_view view(header, wanted);
    uint64_t size = big(view, 0, 4), skip = size == 1 ? 16 : 8;
    if (size == 1) size = big(view, 8, 8);
    if (size == 0 || size > input.size() - at) size = input.size() - at;
    if (size < skip) break;
    if (view.substr(4, 4) == "mdat") found.emplace_back(at + skip, size - skip);
    at += size;
  }
  return found;
}

/// - `isEnds`: whether the ends of the data stand for all of it.
///
/// SHA-256 takes over 20 times as long. A collision would only let an owner's picture pass for a
/// picture that the owner made to collide with it.
std::string digest(Input& input, const Ranges& ranges, bool isEnds) {
  uint64_t total = 0;
  for (auto [offset, length] : ranges) {
    if (offset > input.size() || length > input.size() - offset) return {};
    total += length;
  }
  // The parts of a picture do not overlap.
  if (total == 0 || total > input.size()) return {};
  Murmur3 digest;
  digest.add(isEnds ? "ends" : "all", 4);
  digest.add(&total, sizeof total);
  std::array<char, 1 << 16> buffer;
  uint64_t before = 0;
  for (auto [offset, length] : ranges) {
    for (uint64_t at = 0; at < length;) {
      uint64_t place = before + at, step = std::min<uint64_t>(buffer.size(), length - at);
      if (isEnds && total > 2 * endBytes) {
        // Skips the bytes between the ends.
        if (place >= endBytes && place < total - endBytes) {
          at += std::min(length - at, total - endBytes - place);
          continue;
        }
        step = std::min(step, (place < endBytes ? endBytes : total) - place);
      }
      auto count = static_cast<size_t>(step);
      if (input.available(offset + at, count) < count) return {};
      if (input.read(offset + at, buffer.data(), count) < count) return {};
      digest.add(buffer.data(), count);
      at += step;
    }
    before += length;
  }
  return digest.text();
}

}  // namespace

std::string pictureDigest(Input& input, const Format& format, const StillBoxes& boxes, const Exiv2::ExifData& exif) {
  std::string_view file = input.whole();
  Ranges ranges;
  if (format.container == "jpeg") ranges = jpegScans(file);
  else if (format.container == "png") ranges = pngData(file);
  else if (format.container == "webp") ranges = webpData(file);
  else if (format.container == "cr3") ranges = mediaBoxes(input);
  else if (format.container == "tiff" || format.isRaw) ranges = tiffData(exif);
  else ranges = boxes.pictures;
  return digest(input, ranges, !input.isWhole());
}

std::string filmDigest(Input& input, const Format& format) {
  bool isMovie = format.container == "mov" || format.container == "mp4" || format.container == "3gp";
  return isMovie ? digest(input, mediaBoxes(input), true) : std::string();
}

}  // namespace media
