#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "Boxes.hpp"
#include "Truncation.hpp"

namespace media {

namespace {

constexpr size_t maximumDirectories = 256;
constexpr uint64_t maximumParts = 1 << 20;

/// One image directory and its picture's place.
class Directory {
 public:
  Directory(std::string_view file, bool isLittle, uint64_t at) : file_(file), isLittle_(isLittle), at_(at) {}

  bool isInside() const { return at_ + 2 <= file_.size() && at_ + 2 + count() * entry + 4 <= file_.size(); }
  uint64_t next() const { return number(at_ + 2 + count() * entry, 4); }

  /// A tag's numbers: empty if the tag is absent, nullopt if they lie outside the file.
  std::optional<std::vector<uint64_t>> numbers(uint64_t tag) const {
    for (uint64_t i = 0; i < count(); ++i) {
      uint64_t at = at_ + 2 + i * entry;
      if (number(at, 2) == tag) return numbersOfEntry(at);
    }
    return std::vector<uint64_t>();
  }

  uint64_t first(uint64_t tag, uint64_t otherwise) const {
    auto found = numbers(tag);
    return found && !found->empty() ? found->front() : otherwise;
  }

 private:
  static constexpr uint64_t entry = 12;

  uint64_t number(uint64_t at, size_t bytes) const {
    return isLittle_ ? little(file_, at, bytes) : big(file_, at, bytes);
  }
  uint64_t count() const { return number(at_, 2); }

  std::optional<std::vector<uint64_t>> numbersOfEntry(uint64_t at) const {
    uint64_t kind = number(at + 2, 2), values = number(at + 4, 4);
    size_t bytes = kind == 1 ? 1 : kind == 3 ? 2 : kind == 4 || kind == 13 ? 4 : 0;
    if (bytes == 0 || values > maximumParts) return std::vector<uint64_t>();
    uint64_t place = values * bytes <= 4 ? at + 8 : number(at + 8, 4);
    if (place > file_.size() || values * bytes > file_.size() - place) return std::nullopt;
    std::vector<uint64_t> found;
    for (uint64_t i = 0; i < values; ++i) found.push_back(number(place + i * bytes, bytes));
    return found;
  }

  std::string_view file_;
  bool isLittle_;
  uint64_t at_;
};

/// The greatest size of an uncompressed strip; some writers state more for the last one.
uint64_t uncompressedStripBytes(const Directory& directory, uint64_t strip) {
  constexpr uint64_t none = 1, limit = 1 << 20;
  uint64_t width = directory.first(256, 0), height = directory.first(257, 0), samples = directory.first(277, 1);
  uint64_t rows = std::min(directory.first(278, height), height), bits = directory.first(258, 1);
  bool isUsual =
      directory.first(259, none) == none && directory.first(284, 1) == 1 && rows > 0 && samples <= 16 && bits <= 64;
  if (!isUsual || width > limit || height > limit || strip >= (height + rows - 1) / rows) return UINT64_MAX;
  return std::min(rows, height - strip * rows) * ((width * samples * bits + 7) / 8);
}

/// Whether parts of the picture lie behind the end of the file, or all of it when that is not
/// allowed.
bool isPictureCut(const Directory& directory, uint64_t size, bool mayBeLeftOut, uint64_t placesTag,
                  uint64_t lengthsTag) {
  auto places = directory.numbers(placesTag), lengths = directory.numbers(lengthsTag);
  if (!places || !lengths) return true;
  constexpr uint64_t strips = 273, previews = 513;
  uint64_t absent = 0, parts = std::min(places->size(), lengths->size());
  for (uint64_t i = 0; i < parts; ++i) {
    uint64_t place = (*places)[i], length = (*lengths)[i];
    if (placesTag == strips) length = std::min(length, uncompressedStripBytes(directory, i));
    if (place >= size && length > 0) ++absent;
    else if (length > size - std::min(place, size)) return true;
  }
  return absent > 0 && !(mayBeLeftOut && absent == parts && placesTag != previews);
}

/// The least size of Panasonic's sensor data, in packets of 16 bytes with a fixed number of pixels.
/// The length in the file is that of unpacked pixels, or none.
uint64_t leastPanasonicBytes(const Directory& directory) {
  constexpr uint64_t width = 2, height = 3, bits = 10, version = 45, limit = 1 << 20;
  uint64_t across = directory.first(width, 0), down = directory.first(height, 0);
  bool hasFewBits = directory.first(bits, 12) <= 12;
  uint64_t pixels = 14;  // the most in any format
  switch (directory.first(version, 0)) {
    case 5: case 7: pixels = hasFewBits ? 10 : 9; break;
    case 6: pixels = hasFewBits ? 14 : 11; break;
    case 8: return 0;
  }
  return across > limit || down > limit ? 0 : across * down / pixels * 16;
}

/// Whether a stripe of Panasonic's latest format reaches behind the end of the file; its lengths
/// are in bits.
bool isStripeCut(const Directory& directory, uint64_t size) {
  auto places = directory.numbers(68), bits = directory.numbers(70);
  if (!places || !bits) return true;
  for (uint64_t i = 0; i < std::min(places->size(), bits->size()); ++i) {
    if ((*bits)[i] > 0 && (*places)[i] + ((*bits)[i] + 7) / 8 > size) return true;
  }
  return false;
}

}  // namespace

bool isTruncatedRW2(std::string_view file) {
  constexpr uint64_t strips = 273, sensorData = 280, none = UINT32_MAX;
  Directory directory(file, true, little(file, 4, 4));
  if (!directory.isInside()) return true;
  uint64_t at = directory.first(sensorData, directory.first(strips, none));
  if (at == none || at == 0) return false;
  return at >= file.size() || leastPanasonicBytes(directory) > file.size() - at || isStripeCut(directory, file.size());
}

bool isTruncatedTIFF(std::string_view file, bool isRaw, bool listsPreview) {
  bool isLittle = file.substr(0, 2) == "II";
  std::vector<uint64_t> todo = {isLittle ? little(file, 4, 4) : big(file, 4, 4)};
  std::set<uint64_t> known;
  while (!todo.empty() && known.size() < maximumDirectories) {
    uint64_t at = todo.back();
    todo.pop_back();
    if (at == 0 || !known.insert(at).second) continue;
    Directory directory(file, isLittle, at);
    if (!directory.isInside()) {
      // Raw files of some makers have invalid pointers.
      if (isRaw && known.size() > 1) continue;
      return true;
    }
    constexpr std::pair<uint64_t, uint64_t> pictures[] = {{273, 279}, {324, 325}, {513, 514}};
    for (auto [places, lengths] : pictures) {
      if (isPictureCut(directory, file.size(), isRaw && listsPreview, places, lengths)) return true;
    }
    constexpr uint64_t innerDirectories = 330;
    if (auto inner = directory.numbers(innerDirectories)) todo.insert(todo.end(), inner->begin(), inner->end());
    todo.push_back(directory.next());
  }
  return false;
}

}  // namespace media
