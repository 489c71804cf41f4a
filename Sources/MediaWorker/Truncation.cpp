#include "Truncation.hpp"

#include <algorithm>

#include "Boxes.hpp"
#include "JPEGSegments.hpp"

namespace media {

namespace {

using namespace std::string_view_literals;

/// Whether the end marker is missing behind the first scan. Picture data never contains the
/// marker's bytes, but an embedded preview before the scan may.
bool isTruncatedJPEG(std::string_view file) {
  size_t scan = eachSegment(file, [](unsigned char, std::string_view) {});
  return scan == std::string_view::npos || file.find("\xff\xd9"sv, scan) == std::string_view::npos;
}

bool isTruncatedPNG(std::string_view file) {
  constexpr size_t signature = 8, chunkOverhead = 12;
  for (size_t at = signature; file.size() - at >= chunkOverhead;) {
    if (file.substr(at + 4, 4) == "IEND") return false;
    uint64_t whole = big(file, at, 4) + chunkOverhead;
    if (whole > file.size() - at) return true;
    at += whole;
  }
  return true;
}

size_t colourTableBytes(unsigned char flags) { return flags & 0x80 ? size_t{3} << ((flags & 7) + 1) : 0; }

/// Skips a row of sub-blocks; false if the file ends first.
bool skipSubBlocks(std::string_view file, size_t& at) {
  while (at < file.size()) {
    size_t length = static_cast<unsigned char>(file[at]);
    at += 1 + length;
    if (length == 0) return true;
  }
  return false;
}

bool isTruncatedGIF(std::string_view file) {
  constexpr size_t header = 13, extensionHeader = 2, pictureHeader = 10;
  constexpr char extension = '\x21', picture = '\x2c';
  if (file.size() < header) return true;
  size_t at = header + colourTableBytes(static_cast<unsigned char>(file[10]));
  bool hasPicture = false;
  while (at < file.size()) {
    char block = file[at];
    if (block != extension && block != picture) return false;  // the trailer, or rubbish behind the pictures
    if (block == extension) {
      at += extensionHeader;
    } else {
      if (file.size() - at < pictureHeader) return true;
      at += pictureHeader + colourTableBytes(static_cast<unsigned char>(file[at + 9])) + 1;
    }
    if (!skipSubBlocks(file, at)) return true;
    hasPicture |= block == picture;
  }
  // Some writers omit the trailer, though all pictures are there.
  return at > file.size() || !hasPicture;
}

}  // namespace

uint64_t little(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;)
    value = value << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0);
  return value;
}

bool isTruncatedPicture(std::string_view file, const Format& format) {
  if (format.container == "jpeg") return isTruncatedJPEG(file);
  if (format.container == "png") return isTruncatedPNG(file);
  if (format.container == "gif") return isTruncatedGIF(file);
  if (format.container == "crw") return isTruncatedCIFF(file);
  if (format.container == "raf") return isTruncatedRAF(file);
  if (format.container == "mrw") return isTruncatedMRW(file);
  if (format.container == "rw2") return isTruncatedRW2(file);
  // Olympus stores the preview in the maker's notes.
  if (format.container == "orf") return isTruncatedTIFF(file, format.isRaw, false);
  auto read = [file](uint64_t at, void* to, size_t count) {
    return at < file.size() ? file.copy(static_cast<char*>(to), count, at) : 0;
  };
  if (format.container == "webp") return isTruncatedRIFF(read, file.size());
  if (format.container == "cr3") return isMovieTruncated(read, file.size());
  return format.isTiffLike && isTruncatedTIFF(file, format.isRaw);
}

bool isTruncatedCIFF(std::string_view file) {
  constexpr size_t pointer = 4, count = 2, entry = 10;
  uint64_t heap = little(file, 2, 4);
  if (heap > file.size() || file.size() - heap < pointer + count) return true;
  // The heap's last word is the place of the directory, whose entries lie before it.
  uint64_t room = file.size() - heap - pointer, directory = little(file, file.size() - pointer, pointer);
  if (directory > room - count) return true;
  uint64_t entries = little(file, heap + directory, count);
  if (entries == 0 || entries * entry > room - directory - count) return true;
  for (uint64_t i = 0; i < entries; ++i) {
    size_t at = heap + directory + count + i * entry;
    bool isInline = (little(file, at, 2) & 0xc000) == 0x4000;
    if (!isInline && little(file, at + 2, 4) + little(file, at + 6, 4) > directory) return true;
  }
  return false;
}

bool isTruncatedRIFF(const ReadAt& read, uint64_t size) {
  constexpr uint64_t unknownSize = 0xffff'ffff;
  // A large AVI consists of several RIFF chunks.
  for (uint64_t at = 0; at < size && size - at >= 12;) {
    char bytes[8];
    if (read(at, bytes, sizeof bytes) < sizeof bytes) return true;
    std::string_view header(bytes, sizeof bytes);
    if (header.substr(0, 4) != "RIFF") return false;
    uint64_t length = little(header, 4, 4);
    // An unfinished recording.
    if (length == 0 || length == unknownSize) return false;
    // Writers often omit the padding after an odd length.
    if (length > size - at - 8 + (length & 1)) return true;
    at += 8 + length + (length & 1);
  }
  return false;
}

namespace {

/// Matroska's variable-length integer: its leading zero bits give its number of bytes.
struct VariableInteger {
  uint64_t value = 0;
  size_t bytes = 0;  // 0 if malformed
  bool isUnknown = false;
};

VariableInteger variableInteger(std::string_view data, size_t at) {
  VariableInteger number;
  if (at >= data.size() || data[at] == 0) return number;
  size_t bytes = 1;
  for (unsigned first = static_cast<unsigned char>(data[at]); !(first & 0x80); first <<= 1) ++bytes;
  if (bytes > data.size() - at) return number;
  uint64_t mask = (uint64_t{1} << 7 * bytes) - 1;
  number.value = big(data, at, bytes) & mask;
  number.bytes = bytes;
  number.isUnknown = number.value == mask;
  return number;
}

}  // namespace

bool isTruncatedMatroska(const ReadAt& read, uint64_t size) {
  constexpr std::string_view segment = "\x18\x53\x80\x67"sv, padding = "\xec"sv;
  constexpr size_t headerElement = 4;
  char bytes[16];
  size_t got = read(0, bytes, sizeof bytes);
  VariableInteger length = variableInteger({bytes, got}, headerElement);
  if (length.bytes == 0 || length.isUnknown) return false;
  uint64_t at = headerElement + length.bytes + length.value;
  for (int elements = 0; at < size && elements < 16; ++elements) {
    got = read(at, bytes, sizeof bytes);
    std::string_view data(bytes, got);
    bool isSegment = data.substr(0, segment.size()) == segment;
    if (!isSegment && data.substr(0, padding.size()) != padding) return false;
    size_t name = isSegment ? segment.size() : padding.size();
    length = variableInteger(data, name);
    // A live recording has no length.
    if (length.bytes == 0 || length.isUnknown) return false;
    if (length.value > size - at - std::min<uint64_t>(size - at, name + length.bytes)) return true;
    if (isSegment) return false;
    at += name + length.bytes + length.value;
  }
  return at >= size;
}

bool isTruncatedTransportStream(const ReadAt& read, uint64_t size) {
  auto isSync = [&](uint64_t at) { char byte = 0; return read(at, &byte, 1) == 1 && byte == 'G'; };
  // Cameras put a timestamp of four bytes before each packet.
  for (uint64_t time : {0, 4}) {
    uint64_t packet = time + 188, rest = size % packet, last = size - rest + time;
    if (!isSync(time) || !isSync(time + packet) || !isSync(time + 2 * packet)) continue;
    // Rubbish behind the last packet does not start with a sync byte.
    return rest > time && isSync(last - packet) && isSync(last);
  }
  return false;
}

}  // namespace media
