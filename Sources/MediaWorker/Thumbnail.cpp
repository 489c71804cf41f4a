#include "Thumbnail.hpp"

#include "Boxes.hpp"
#include "Metadata.hpp"
#include "Sniff.hpp"
#include "Videos.hpp"

namespace media {

namespace {

bool isOwnFormat(const Format& format) { return format.kind == Kind::image && !format.isRaw; }

/// The largest preview embedded in a raw file, as a file of its own.
std::string largestPreview(std::string_view file, uint8_t& orientation, bool& isRaw) {
  constexpr uint32_t limitBytes = 64 << 20;
  try {
    auto image =
        Exiv2::ImageFactory::open(reinterpret_cast<const Exiv2::byte*>(file.data()), static_cast<long>(file.size()));
    image->readMetadata();
    Facts facts;
    applyExif(image->exifData(), facts);
    orientation = facts.orientation;
    if (!isRaw) {
      // A plain TIFF needs no embedded preview.
      bool isDNG = find(image->exifData(), "Image", 0xc612) != nullptr;
      isRaw = isDNG || find(image->exifData(), "SubImage1", 0x0106) != nullptr;
    }
    Exiv2::PreviewManager previews(*image);
    auto list = previews.getPreviewProperties();
    for (auto each = list.rbegin(); each != list.rend(); ++each) {
      if (each->size_ == 0 || each->size_ > limitBytes) continue;
      Exiv2::PreviewImage preview = previews.getPreviewImage(*each);
      std::string bytes(reinterpret_cast<const char*>(preview.pData()), preview.size());
      if (isOwnFormat(sniff(bytes))) return bytes;
    }
  } catch (...) {
  }
  return {};
}

/// 0, the preview's own orientation, if it has one; else `fallback`.
uint8_t ownOrientation(std::string_view preview, uint8_t fallback) {
  Format format = sniff(preview);
  Metadata metadata = readMetadata(preview, format);
  return find(metadata.exif, "Image", 0x0112) ? 0 : fallback;
}

/// Makes a thumbnail of a picture that libvips refuses as it is.
bool thumbnailByOtherWays(Input& input, const Format& format, const ThumbnailRequest& request, EncodedThumbnail& out) {
  Problem ignored;
  Frame frame;
  bool isHEIF = format.container == "heic" || format.container == "heif" || format.container == "avif";
  // libheif of Debian 12 refuses pictures with many auxiliary ones, such as those of iOS 18.
  if (isHEIF) {
    std::string copy = mended(input.whole());
    if (!copy.empty() && makeThumbnail(copy, 0, request, out, ignored)) return true;
    if (makeThumbnailOfPreview(copy.empty() ? input.whole() : copy, request, out)) return true;
  }
  // libheif does not open image sequences; they are decoded as videos.
  bool isFrame = format.container == "bmp" || (isHEIF && readStillBoxes(input.whole()).isSequence);
  return isFrame && posterFrame(input, frame, ignored) && makeThumbnail(frame, request, out, ignored);
}

}  // namespace

bool thumbnailOf(Input& input, const ThumbnailRequest& request, EncodedThumbnail& out, Problem& problem) {
  Format format = sniff(input.head());
  problem = Problem::unreadable;
  if (format.kind == Kind::video) {
    Frame frame;
    return posterFrame(input, frame, problem) && makeThumbnail(frame, request, out, problem);
  }
  if (format.kind != Kind::image) return false;
  std::string_view file = input.whole();
  if (file.empty()) {
    if (input.size() > 0) problem = Problem::tooLarge;
    return false;
  }
  uint8_t orientation = 1;
  // The first picture of an IIQ file is its largest preview.
  bool isRaw = format.isRaw && format.container != "iiq";
  std::string preview;
  if (format.isRaw || format.isTiffLike) preview = largestPreview(file, orientation, isRaw);
  if (!isRaw) {
    if (makeThumbnail(file, 0, request, out, problem) || thumbnailByOtherWays(input, format, request, out)) return true;
    if (preview.empty()) preview = largestPreview(file, orientation, isRaw);
  }
  if (problem == Problem::unreadable) problem = Problem::unsupported;
  Problem ignored;
  return !preview.empty() && makeThumbnail(preview, ownOrientation(preview, orientation), request, out, ignored);
}

}  // namespace media
