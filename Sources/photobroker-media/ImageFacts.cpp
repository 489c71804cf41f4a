#include "Boxes.hpp"
#include "Metadata.hpp"
#include "MotionPhoto.hpp"
#include "Orientation.hpp"
#include "Picture.hpp"
#include "Pixels.hpp"
#include "Truncation.hpp"

namespace media {

namespace {

/// Whether a TIFF holds camera data: a DNG tag, a colour filter array or a maker's compression.
bool isRawTiff(const Exiv2::ExifData& exif, bool& isDNG) {
  isDNG = find(exif, "Image", 0xc612) != nullptr;
  if (isDNG) return true;
  for (const auto& datum : exif) {
    std::string group = datum.groupName();
    if ((group != "Image" && group.rfind("SubImage", 0) != 0) || datum.count() == 0) continue;
    long value = datum.toLong();
    constexpr long colourFilterArray = 32803, linearRaw = 34892, nikon = 34713, sony = 32767;
    if (datum.tag() == 0x0106 && (value == colourFilterArray || value == linearRaw)) return true;
    if (datum.tag() == 0x0103 && (value == nikon || value == sony)) return true;
  }
  return false;
}

/// Reads a raw file's size and orientation from its largest image directory, which is the sensor's.
void readRawSize(std::string_view file, const Exiv2::ExifData& exif, Facts& facts) {
  for (const char* group : {"Image", "SubImage1", "SubImage2", "SubImage3", "SubImage4"}) {
    const auto *width = find(exif, group, 0x0100), *height = find(exif, group, 0x0101);
    if (!width || !height || width->count() == 0 || height->count() == 0) continue;
    long w = width->toLong(), h = height->toLong();
    if (w <= 0 || h <= 0 || w > 100'000 || h > 100'000) continue;
    if (static_cast<uint64_t>(w) * static_cast<uint64_t>(h) >
        static_cast<uint64_t>(facts.codedWidth) * facts.codedHeight) {
      facts.codedWidth = static_cast<uint32_t>(w);
      facts.codedHeight = static_cast<uint32_t>(h);
    }
  }
  if (facts.codedWidth) return;
  try {
    auto image =
        Exiv2::ImageFactory::open(reinterpret_cast<const Exiv2::byte*>(file.data()), static_cast<long>(file.size()));
    image->readMetadata();
    facts.codedWidth = static_cast<uint32_t>(image->pixelWidth());
    facts.codedHeight = static_cast<uint32_t>(image->pixelHeight());
  } catch (...) {
    facts.problems.insert(Problem::metadataDamaged);
  }
}

}  // namespace

void readImageFacts(Input& input, const std::string& extension, Facts& facts) {
  std::string_view file = input.whole();
  if (file.empty()) {
    facts.problems.insert(input.size() > Input::wholeLimitBytes ? Problem::tooLarge : Problem::unreadable);
    return;
  }
  bool isHEIF =
      facts.format.container == "heic" || facts.format.container == "heif" || facts.format.container == "avif";
  StillBoxes boxes;
  if (isHEIF) boxes = readStillBoxes(file);
  Metadata metadata = readMetadata(file, facts.format, boxes.exif);
  if (metadata.isDamaged) facts.problems.insert(Problem::metadataDamaged);
  try {
    applyExif(metadata.exif, facts);
    applyXMP(metadata.xmp, false, facts);
    applyIptc(metadata.iptc, facts);
    applyWindowsTexts(metadata.exif, facts);
    applyTexts(metadata.texts, facts);
  } catch (...) {
    facts.problems.insert(Problem::metadataDamaged);
  }
  if (facts.format.isTiffLike) {
    bool isDNG = false;
    if (facts.format.isRaw || isRawTiff(metadata.exif, isDNG)) {
      if (!facts.format.isRaw) facts.format = rawFormat(isDNG, extension);
    }
  }
  if (facts.format.isRaw) {
    facts.subtypes |= Subtype::raw;
    readRawSize(file, metadata.exif, facts);
  } else {
    PixelHeader header = readPixelHeader(file);
    if (header.isKnown) {
      facts.codedWidth = header.width;
      facts.codedHeight = header.height;
      facts.frames = header.frames;
    } else if (boxes.isSequence && boxes.codedWidth && boxes.codedHeight) {
      // libheif of Debian 12 does not open image sequences; their thumbnails are made as for
      // videos.
      facts.codedWidth = boxes.codedWidth;
      facts.codedHeight = boxes.codedHeight;
      if (isSideways(boxes.orientation)) std::swap(facts.codedWidth, facts.codedHeight);
    } else {
      facts.problems.insert(Problem::unreadable);
    }
  }
  facts.width = facts.codedWidth;
  facts.height = facts.codedHeight;
  if (isHEIF) {
    // The decoder applies `irot` and `imir`, so its size is the displayed one. EXIF's orientation
    // only repeats them and is not applied again (ISO/IEC 23008-12, A.2).
    facts.orientation = boxes.orientation;
    if (boxes.codedWidth && boxes.codedHeight) {
      facts.codedWidth = boxes.codedWidth;
      facts.codedHeight = boxes.codedHeight;
    }
    facts.motionPhoto = boxes.movie;
    if (boxes.isHighDynamicRange) facts.subtypes |= Subtype::hdr;
    if (boxes.isSequence) facts.subtypes |= Subtype::animated;
    if (boxes.isTruncated) facts.problems.insert(Problem::truncated);
  } else {
    if (isSideways(facts.orientation)) std::swap(facts.width, facts.height);
    // A partial JPEG's end was checked by hasNeededParts.
    if (input.isWhole() && isTruncatedPicture(file, facts.format)) facts.problems.insert(Problem::truncated);
    if (facts.format.container == "jpeg") facts.motionPhoto = findMotionPhoto(input, metadata.xmp);
    if (facts.frames > 1 && facts.format.container != "tiff") facts.subtypes |= Subtype::animated;
  }
  if (static_cast<uint64_t>(facts.width) * facts.height > maximumImagePixels) facts.problems.insert(Problem::tooLarge);
  facts.picture = pictureDigest(input, facts.format, boxes, metadata.exif);
}

}  // namespace media
