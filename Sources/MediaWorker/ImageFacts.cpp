#include <cstdlib>

#include "Boxes.hpp"
#include "CameraDate.hpp"
#include "Metadata.hpp"
#include "MotionPhoto.hpp"
#include "Orientation.hpp"
#include "Picture.hpp"
#include "Pixels.hpp"
#include "Truncation.hpp"
#include "Videos.hpp"

namespace media {

namespace {

/// Whether a TIFF holds camera data: a DNG tag, a colour filter array, a maker's compression or
/// Kodak's own directory.
bool isRawTiff(const Exiv2::ExifData& exif, bool& isDNG) {
  isDNG = find(exif, "Image", 0xc612) != nullptr;
  constexpr uint16_t kodakDirectory = 0xfe00;
  bool isKodak = text(exif, "Image", 0x010f).find("KODAK") != std::string::npos;
  if (isDNG || (isKodak && find(exif, "Image", kodakDirectory))) return true;
  for (const auto& datum : exif) {
    std::string group = datum.groupName();
    if ((group != "Image" && group.rfind("SubImage", 0) != 0) || datum.count() == 0) continue;
    int64_t value = integer(datum);
    constexpr long colourFilterArray = 32803, linearRaw = 34892, nikon = 34713, sony = 32767, kdc = 32867, dcr = 65000;
    if (datum.tag() == 0x0106 && (value == colourFilterArray || value == linearRaw)) return true;
    bool isMakers = value == nikon || value == sony || value == kdc || value == dcr;
    if (datum.tag() == 0x0103 && isMakers) return true;
  }
  return false;
}

/// Reads a raw file's size from its largest image directory, which is the sensor's.
void readRawSize(const Exiv2::ExifData& exif, Facts& facts) {
  for (const char* group : {"Image", "SubImage1", "SubImage2", "SubImage3", "SubImage4", "Photo"}) {
    // The directories of older CR2 files, of IIQ and of newer KDC have small pictures alone.
    bool isPhoto = std::string_view(group) == "Photo";
    const std::string& container = facts.format.container;
    if (isPhoto && container != "cr2" && container != "iiq" && container != "kdc") continue;
    const auto* width = find(exif, group, isPhoto ? 0xa002 : 0x0100);
    const auto* height = find(exif, group, isPhoto ? 0xa003 : 0x0101);
    if (!width || !height || width->count() == 0 || height->count() == 0) continue;
    int64_t w = integer(*width), h = integer(*height);
    if (w <= 0 || h <= 0 || w > 100'000 || h > 100'000) continue;
    if (static_cast<uint64_t>(w) * static_cast<uint64_t>(h) >
        static_cast<uint64_t>(facts.codedWidth) * facts.codedHeight) {
      facts.codedWidth = static_cast<uint32_t>(w);
      facts.codedHeight = static_cast<uint32_t>(h);
    }
  }
}

/// Reads the date of the camera's own entries, where the standard ones have none, only the file's, or
/// the same without the offset. A standard date that differs is a correction.
void readCameraDate(std::string_view jpeg, const Exiv2::ExifData& exif, Facts& facts) {
  auto date = readFLIRDate(jpeg);
  const auto* note = find(exif, "Photo", 0x927c);
  if (!date && note && note->size() > 0) {
    std::string bytes(static_cast<size_t>(note->size()), '\0');
    note->copy(reinterpret_cast<Exiv2::byte*>(bytes.data()), Exiv2::littleEndian);
    date = readReconyxDate(bytes);
  }
  if (!date) return;
  bool isMissing = !facts.date || facts.dateSource == DateSource::gps || facts.dateSource == DateSource::digitized;
  bool isBare = facts.date && (!facts.date->offsetMinutes || facts.offsetSource != OffsetSource::tag);
  bool isSame = facts.date && secondsSince1970(*facts.date) == secondsSince1970(*date);
  if (!isMissing && !(isBare && isSame && date->offsetMinutes)) return;
  facts.date = date;
  facts.dateSource = DateSource::original;
  facts.offsetSource = OffsetSource::tag;
}

/// Reads the size in a file's header, for formats that the libraries here do not know, and for files
/// that they refuse.
void readHeaderSize(std::string_view file, Facts& facts) {
  constexpr uint64_t largest = 1'000'000;
  uint64_t width = 0, height = 0;
  const std::string& container = facts.format.container;
  if (container == "png" && file.size() >= 24 && file.substr(12, 4) == "IHDR") {
    width = big(file, 16, 4);
    height = big(file, 20, 4);
  } else if (container == "gif") {
    width = little(file, 6, 2);
    height = little(file, 8, 2);
  } else if (container == "webp" && file.size() >= 30) {
    std::string_view chunk = file.substr(12, 4);
    if (chunk == "VP8X") {
      width = little(file, 24, 3) + 1;
      height = little(file, 27, 3) + 1;
    } else if (chunk == "VP8L" && file[20] == '\x2f') {
      width = (little(file, 21, 4) & 0x3fff) + 1;
      height = (little(file, 21, 4) >> 14 & 0x3fff) + 1;
    } else if (chunk == "VP8 " && file.substr(23, 3) == "\x9d\x01\x2a") {
      width = little(file, 26, 2) & 0x3fff;
      height = little(file, 28, 2) & 0x3fff;
    }
  } else if (container == "bmp") {
    constexpr uint64_t oldHeaderBytes = 12;
    bool isOld = little(file, 14, 4) == oldHeaderBytes;
    width = little(file, 18, isOld ? 2 : 4);
    // A negative height means rows from the top down.
    height = isOld ? little(file, 20, 2) : static_cast<uint64_t>(std::llabs(static_cast<int32_t>(little(file, 22, 4))));
  } else if (container == "jp2") {
    eachBox(file, 0, [&](const Box& box) {
      // Its first box has height and width.
      if (box.type == "jp2h" && box.payload.size() >= 16 && box.payload.substr(4, 4) == "ihdr") {
        height = big(box.payload, 8, 4);
        width = big(box.payload, 12, 4);
      }
      return box.type != "jp2h";
    });
  } else if (container == "j2c") {
    width = big(file, 8, 4) - big(file, 16, 4);
    height = big(file, 12, 4) - big(file, 20, 4);
  } else if (container == "x3f") {
    size_t at = little(file, 6, 2) < 4 ? 28 : 40;
    width = little(file, at, 4);
    height = little(file, at + 4, 4);
  } else if (container == "raf") {
    // A number of entries, each with its tag and the length of its value.
    constexpr uint64_t croppedSize = 0x111, mostEntries = 255;
    uint64_t at = big(file, 92, 4), count = big(file, at, 4);
    at += 4;
    for (uint64_t i = 0; i < count && i < mostEntries && width == 0; ++i, at += 4 + big(file, at + 2, 2)) {
      if (big(file, at, 2) != croppedSize) continue;
      height = big(file, at + 4, 2);
      width = big(file, at + 6, 2);
    }
  }
  if (width == 0 || height == 0 || width > largest || height > largest) return;
  facts.codedWidth = static_cast<uint32_t>(width);
  facts.codedHeight = static_cast<uint32_t>(height);
}

}  // namespace

void readImageFacts(Input& input, Facts& facts) {
  std::string_view file = input.whole();
  if (file.empty()) {
    facts.problems.insert(input.size() > Input::wholeLimitBytes ? Problem::tooLarge : Problem::unreadable);
    return;
  }
  bool isHEIF =
      facts.format.container == "heic" || facts.format.container == "heif" || facts.format.container == "avif";
  StillBoxes boxes;
  if (isHEIF) boxes = readStillBoxes(file);
  Metadata metadata = readMetadata(file, facts.format, boxes);
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
  if (boxes.isSequence && !facts.date) readSequenceDate(input, facts);
  if (facts.format.container == "jpeg") readCameraDate(file, metadata.exif, facts);
  if (facts.format.isTiffLike) {
    bool isDNG = false;
    if (facts.format.isRaw || isRawTiff(metadata.exif, isDNG)) {
      if (!facts.format.isRaw) facts.format = rawFormat(isDNG, facts.make, facts.model);
    }
  }
  if (facts.format.isRaw) {
    facts.subtypes |= Subtype::raw;
    readRawSize(metadata.exif, facts);
  } else if (PixelHeader header = readPixelHeader(file); header.isKnown) {
    facts.codedWidth = header.width;
    facts.codedHeight = header.height;
    facts.frames = header.frames;
    if (header.isTooLarge()) facts.problems.insert(Problem::tooLarge);
  } else if (isHEIF) {
    facts.codedWidth = boxes.width;
    facts.codedHeight = boxes.height;
  }
  if (!facts.codedWidth || !facts.codedHeight) {
    facts.codedWidth = metadata.width;
    facts.codedHeight = metadata.height;
  }
  // The libraries refuse the file, and the container has the size all the same.
  if (!facts.codedWidth || !facts.codedHeight) readHeaderSize(file, facts);
  if (!facts.codedWidth || !facts.codedHeight) facts.problems.insert(Problem::unreadable);
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
    // A partial JPEG's end was checked by hasNeededParts.
    if (input.isWhole() && isTruncatedPicture(file, facts.format)) facts.problems.insert(Problem::truncated);
    // Decoders of JPEG XL turn the picture as its codestream says, and EXIF's orientation is void.
    if (facts.format.container == "jxl") facts.orientation = 1;
    if (isSideways(facts.orientation)) std::swap(facts.width, facts.height);
    if (facts.format.container == "jpeg") facts.motionPhoto = findMotionPhoto(input, metadata.xmp);
    if (facts.frames > 1 && facts.format.container != "tiff") facts.subtypes |= Subtype::animated;
  }
  facts.picture = pictureDigest(input, facts.format, boxes, metadata.exif);
}

}  // namespace media
