#include "NeededParts.hpp"

#include <algorithm>

#include "Boxes.hpp"

namespace media {

namespace {

/// Bytes at a file's end that hold a JPEG's end marker and Samsung's directory.
constexpr uint64_t tailBytes = 16 * 1024;
/// Bytes that decoders may read behind the beginning of a JPEG's first scan.
constexpr uint64_t scanBytes = 4096;

uint64_t little(const unsigned char* bytes, size_t count) {
  uint64_t value = 0;
  while (count > 0) value = value << 8 | bytes[--count];
  return value;
}

/// Requires the film's marker, whose place is in Samsung's directory at the file's end. All other
/// blocks lie within 64 KiB before the directory.
bool hasSamsungBlocks(Input& input) {
  constexpr unsigned film = 0x0a30;
  constexpr uint64_t markerBytes = 64;
  unsigned char end[8], head[12], entry[12];
  if (input.size() < sizeof end + sizeof head) return true;
  if (input.read(input.size() - sizeof end, end, sizeof end) < sizeof end) return false;
  if (std::string_view(reinterpret_cast<char*>(end) + 4, 4) != "SEFT") return true;
  uint64_t length = little(end, 4);
  if (length < sizeof head || length > tailBytes || length > input.size() - sizeof end)
    return input.require(0, input.size());
  uint64_t at = input.size() - sizeof end - length;
  if (input.read(at, head, sizeof head) < sizeof head) return false;
  if (std::string_view(reinterpret_cast<char*>(head), 4) != "SEFH") return input.require(0, input.size());
  uint64_t count = std::min<uint64_t>(little(head + 8, 4), (length - sizeof head) / sizeof entry);
  for (uint64_t i = 0; i < count; ++i) {
    if (input.read(at + sizeof head + i * sizeof entry, entry, sizeof entry) < sizeof entry) return false;
    uint64_t back = little(entry + 4, 4);
    if (little(entry + 2, 2) == film && back <= at && !input.require(at - back, markerBytes)) return false;
  }
  return true;
}

/// Whether an available part holds the end marker behind the first scan.
bool hasEndMarker(Input& input, uint64_t scan) {
  using namespace std::string_view_literals;
  std::string_view file = input.whole();
  for (const Part& part : input.parts()) {
    uint64_t from = std::max(part.from, scan);
    if (from < part.to && file.substr(from, part.to - from).find("\xff\xd9"sv) != std::string_view::npos) return true;
  }
  return false;
}

/// Requires all segments up to the first scan, and the file's end.
bool hasNeededJPEG(Input& input) {
  constexpr unsigned char startOfScan = 0xda;
  uint64_t at = 2;
  while (true) {
    unsigned char marker[4];
    if (at + sizeof marker > input.size()) return input.require(0, input.size());
    if (input.read(at, marker, sizeof marker) < sizeof marker) return false;
    if (marker[0] != 0xff) return input.require(0, input.size());
    if (marker[1] == startOfScan) break;
    uint64_t length = marker[1] == 0xff ? 1 : 2 + (uint64_t{marker[2]} << 8 | marker[3]);
    if (!input.require(at, length)) return false;
    at += length;
  }
  if (!input.require(at, scanBytes)) return false;
  uint64_t tail = std::min(tailBytes, input.size());
  if (!input.require(input.size() - tail, tail) || !hasSamsungBlocks(input)) return false;
  // No end marker: the file is truncated, or much was appended. Only the whole file tells.
  return hasEndMarker(input, at) || input.require(0, input.size());
}

/// Requires a HEIC or AVIF file without its coded pictures.
bool hasNeededBoxes(Input& input) {
  constexpr int maximumBoxes = 1000;
  constexpr uint64_t motionBytes = 64, largest = 16 << 20;
  uint64_t at = 0;
  for (int boxes = 0; at + 8 <= input.size() && boxes < maximumBoxes; ++boxes) {
    char header[16];
    size_t wanted = static_cast<size_t>(std::min<uint64_t>(sizeof header, input.size() - at));
    if (input.read(at, header, wanted) < wanted) return false;
    std::string_view view(header, wanted), type = view.substr(4, 4);
    uint64_t size = big(view, 0, 4);
    if (size == 1) size = big(view, 8, 8);
    if (size == 0) size = input.size() - at;
    if (size < 8) break;
    if (type == "moov") return input.require(0, input.size());
    if (type != "mdat" && !input.require(at, type == "mpvd" ? motionBytes : std::min(size, largest))) return false;
    if (size >= input.size() - at) break;
    at += size;
  }
  StillBoxes boxes = readStillBoxes(input.whole());
  if (boxes.isSequence) return input.require(0, input.size());
  for (auto& [offset, length] : boxes.items) {
    if (!input.require(offset, std::min(length, largest))) return false;
  }
  return true;
}

}  // namespace

bool hasNeededParts(Input& input, const Format& format) {
  if (input.missing()) return false;
  if (input.isWhole() || format.kind == Kind::video) return true;
  if (format.kind == Kind::image && input.whole().empty()) return true;
  if (format.container == "jpeg") return hasNeededJPEG(input);
  if (format.container == "heic" || format.container == "heif" || format.container == "avif")
    return hasNeededBoxes(input);
  return input.require(0, input.size());
}

}  // namespace media
