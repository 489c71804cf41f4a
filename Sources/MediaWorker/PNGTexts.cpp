#include "PNGTexts.hpp"

#include <zlib.h>

#include "Boxes.hpp"

namespace media {

namespace {

/// All texts of a file have at most so many bytes.
constexpr size_t maximumTextBytes = 16 << 20, maximumTexts = 100;

/// The text of a compressed chunk, as far as it is undamaged and not longer than `limit`.
std::string inflated(std::string_view data, size_t limit) {
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string text;
  for (int state = Z_OK; state == Z_OK && text.size() < limit;) {
    char piece[16384];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  return text;
}

/// The part up to the next NUL, which `rest` loses with the NUL.
std::string_view upToNUL(std::string_view& rest) {
  std::string_view part = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

}  // namespace

PNGTexts readPNGTexts(std::string_view file) {
  constexpr size_t signature = 8, overhead = 12;
  PNGTexts found;
  size_t rest = maximumTextBytes;
  for (size_t at = signature; at + overhead <= file.size() && found.texts.size() < maximumTexts;) {
    uint64_t length = big(file, at, 4);
    if (length > file.size() - at - overhead) break;
    std::string_view type = file.substr(at + 4, 4), content = file.substr(at + 8, length);
    at += overhead + length;
    if (type == "eXIf") found.exif = content;
    if (type != "tEXt" && type != "zTXt" && type != "iTXt") continue;
    std::string keyword(upToNUL(content));
    bool isCompressed = type == "zTXt";
    if (type == "iTXt" && content.size() >= 2) {
      isCompressed = content[0] == 1;
      content.remove_prefix(2);
      upToNUL(content);  // the language
      upToNUL(content);  // the translated keyword
    } else if (isCompressed && !content.empty()) {
      content.remove_prefix(1);
    }
    std::string text = isCompressed ? inflated(content, rest) : std::string(content);
    rest -= std::min(rest, text.size());
    found.texts.emplace_back(keyword, std::move(text));
  }
  return found;
}

}  // namespace media
