#include "WebPContainer.hpp"

#include <cstdint>

namespace media {

std::string pictureOnly(std::string_view webp) {
  constexpr size_t fileHeader = 12, chunkHeader = 8;
  constexpr char alphaFlag = 0x10;
  std::string out(webp.substr(0, fileHeader));
  for (size_t at = fileHeader; at + chunkHeader <= webp.size();) {
    uint32_t length = 0;
    for (size_t i = 8; i-- > 4;) length = length << 8 | static_cast<unsigned char>(webp[at + i]);
    size_t whole = chunkHeader + size_t{length} + (length & 1);
    if (whole > webp.size() - at) return {};
    std::string chunk(webp.substr(at, whole));
    std::string_view type = webp.substr(at, 4);
    // The extended header announces the chunks; only transparency remains.
    if (type == "VP8X" && length > 0) chunk[chunkHeader] &= alphaFlag;
    if (type == "VP8X" || type == "ALPH" || type == "VP8 " || type == "VP8L") out += chunk;
    at += whole;
  }
  if (out.size() <= fileHeader) return {};
  auto size = static_cast<uint32_t>(out.size() - 8);
  for (size_t i = 0; i < 4; ++i) out[4 + i] = static_cast<char>(size >> (8 * i));
  return out;
}

}  // namespace media
