#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Protocol.hpp"

namespace media {

/// Starts libvips with the wanted loaders only. Call it before the lockdown, because it opens files
/// and modules.
bool startPixels(const char* program);

struct PixelHeader {
  bool isKnown = false;
  uint32_t width = 0, height = 0, frames = 1;
  /// The most pixels of which a thumbnail is made.
  uint64_t maximumPixels = maximumImagePixels;

  bool isTooLarge() const { return static_cast<uint64_t>(width) * height > maximumPixels; }
};

/// Size and number of frames from the header; decodes nothing.
PixelHeader readPixelHeader(std::string_view file);

/// EXIF and XMP as libvips finds them; empty if it does not.
struct PixelMetadata {
  std::string exif, xmp;
};
PixelMetadata readPixelMetadata(std::string_view file);

struct ThumbnailRequest {
  uint16_t width, height;
  Encoding encoding;
  ContentMode mode;
};

/// An encoded thumbnail: upright, sRGB, without any metadata.
struct EncodedThumbnail {
  std::string bytes;
  uint32_t width = 0, height = 0;
};

/// A decoded picture, three bytes per pixel.
struct Frame {
  std::string pixels;
  uint32_t width = 0, height = 0;
  uint8_t orientation = 1;
};

/// Makes a thumbnail. `orientation` 0 means the file's own. Returns false and sets `problem` on
/// failure.
bool makeThumbnail(std::string_view file, uint8_t orientation, const ThumbnailRequest& request, EncodedThumbnail& out,
                   Problem& problem);
/// Makes a thumbnail of the small picture inside a HEIC or AVIF file.
bool makeThumbnailOfPreview(std::string_view heif, const ThumbnailRequest& request, EncodedThumbnail& out);
bool makeThumbnail(const Frame& frame, const ThumbnailRequest& request, EncodedThumbnail& out, Problem& problem);

}  // namespace media
