#pragma once

#include <string>
#include <string_view>

namespace media {

/// A WebP file with its picture's chunks alone. libvips 8.14 adds an EXIF chunk of its own making in spite of `strip`.
/// Empty when the file is malformed.
std::string pictureOnly(std::string_view webp);

}  // namespace media
