#pragma once

#include <string>
#include <string_view>

namespace media {

/// A WebP file reduced to its picture's chunks; empty if malformed. libvips 8.14 adds an EXIF chunk
/// of its own in spite of `strip`.
std::string pictureOnly(std::string_view webp);

}  // namespace media
