#pragma once

#include <string>

#include "Boxes.hpp"
#include "Facts.hpp"
#include "Metadata.hpp"

namespace media {

/// A digest of a file's coded picture or film without its metadata, in hexadecimal digits, by which
/// an edit of the metadata is told from another picture. Empty for formats that do not tell the two
/// apart, and if a partial input lacks the bytes.
std::string pictureDigest(Input& input, const Format& format, const StillBoxes& boxes, const Exiv2::ExifData& exif);
std::string filmDigest(Input& input, const Format& format);

}  // namespace media
