#include "Sniff.hpp"

#include <algorithm>
#include <cctype>

#include "JPEGSegments.hpp"

namespace media {

namespace {

using namespace std::string_view_literals;

Format image(const char* container, const char* mime) { return {Kind::image, container, mime, false, false}; }
Format rawImage(const char* container, const char* mime) { return {Kind::image, container, mime, true, false}; }
Format tiffLike(const char* container, const char* mime) { return {Kind::image, container, mime, true, true}; }
Format video(const char* container, const char* mime) { return {Kind::video, container, mime, false, false}; }

/// Bytes at the beginning of a format's files, and perhaps more at another place. The first match
/// decides.
struct Signature {
  std::string_view magic;
  size_t at;
  Format format;
  std::string_view more = {};
  size_t moreAt = 0;
};

const Signature signatures[] = {
    {"\xff\xd8\xff"sv, 0, image("jpeg", "image/jpeg")},
    {"\x89PNG\r\n\x1a\n"sv, 0, image("png", "image/png")},
    {"GIF87a"sv, 0, image("gif", "image/gif")},
    {"GIF89a"sv, 0, image("gif", "image/gif")},
    {"RIFF"sv, 0, image("webp", "image/webp"), "WEBP"sv, 8},
    {"RIFF"sv, 0, video("avi", "video/x-msvideo"), "AVI "sv, 8},
    // The reserved bytes and the pixels' place distinguish a bitmap from a text.
    {"BM"sv, 0, image("bmp", "image/bmp"), "\0\0\0\0"sv, 6},
    {"\xff\x0a"sv, 0, image("jxl", "image/jxl")},
    {"\0\0\0\x0cJXL \r\n\x87\n"sv, 0, image("jxl", "image/jxl")},
    {"\0\0\0\x0cjP  \r\n\x87\n"sv, 0, image("jp2", "image/jpx"), "jpx "sv, 20},
    {"\0\0\0\x0cjP  \r\n\x87\n"sv, 0, image("jp2", "image/jp2")},
    {"\xff\x4f\xff\x51"sv, 0, image("j2c", "image/j2c")},
    {"II\xbc\x01"sv, 0, image("jxr", "image/jxr")},
    {"8BPS\0"sv, 0, image("psd", "image/vnd.adobe.photoshop")},
    {"II\x1a\0\0\0HEAPCCDR"sv, 0, rawImage("crw", "image/x-canon-crw")},
    {"FUJIFILMCCD-RAW"sv, 0, rawImage("raf", "image/x-fuji-raf")},
    {"\0MRM"sv, 0, rawImage("mrw", "image/x-minolta-mrw")},
    {"FOVb"sv, 0, rawImage("x3f", "image/x-sigma-x3f")},
    {"IIRO"sv, 0, tiffLike("orf", "image/x-olympus-orf")},
    {"IIRS"sv, 0, tiffLike("orf", "image/x-olympus-orf")},
    {"MMOR"sv, 0, tiffLike("orf", "image/x-olympus-orf")},
    {"IIU\0"sv, 0, tiffLike("rw2", "image/x-panasonic-rw2")},
    {"II*\0"sv, 0, tiffLike("cr2", "image/x-canon-cr2"), "CR\x02"sv, 8},
    {"IIII"sv, 8, tiffLike("iiq", "image/x-raw"), "waR"sv, 13},
    {"MMMMRaw"sv, 8, tiffLike("iiq", "image/x-raw"), "MM\0*"sv, 0},
    {"II*\0"sv, 0, {Kind::image, "tiff", "image/tiff", false, true}},
    {"MM\0*"sv, 0, {Kind::image, "tiff", "image/tiff", false, true}},
    // BigTIFF.
    {"II+\0\x08\0\0\0"sv, 0, image("tiff", "image/tiff")},
    {"MM\0+\0\x08\0\0"sv, 0, image("tiff", "image/tiff")},
    {"moov"sv, 4, video("mov", "video/quicktime")},
    {"mdat"sv, 4, video("mov", "video/quicktime")},
    {"wide"sv, 4, video("mov", "video/quicktime")},
    {"free"sv, 4, video("mov", "video/quicktime")},
    {"skip"sv, 4, video("mov", "video/quicktime")},
    {"pnot"sv, 4, video("mov", "video/quicktime")},
    {"\0\0\1\xba"sv, 0, video("mpeg", "video/mpeg")},
    {"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"sv, 0, video("asf", "video/x-ms-wmv")},
};

bool has(std::string_view head, size_t at, std::string_view bytes) {
  return head.size() >= at + bytes.size() && head.substr(at, bytes.size()) == bytes;
}

Format byBrand(std::string_view head) {
  std::string_view major = head.substr(8, 4);
  bool avif = major == "avif" || major == "avis", heif = false, heic = false;
  size_t size = static_cast<unsigned char>(head[2]) << 8 | static_cast<unsigned char>(head[3]);
  for (size_t i = 8; i + 4 <= head.size() && i < size; i += 4) {
    if (i == 12) continue;  // the minor version
    std::string_view brand = head.substr(i, 4);
    if (brand == "heic" || brand == "heix" || brand == "heim" || brand == "heis" || brand == "hevc" || brand == "hevx")
      heic = true;
    if (brand == "mif1" || brand == "msf1") heif = true;
    if ((brand == "avif" || brand == "avis") && (major == "mif1" || major == "msf1")) avif = true;
  }
  if (major == "crx ") return rawImage("cr3", "image/x-canon-cr3");
  for (auto sound : {"M4A "sv, "M4B "sv, "M4P "sv, "F4A "sv, "F4B "sv}) {
    if (major == sound) return {};
  }
  if (avif) return image("avif", "image/avif");
  if (heic) return image("heic", "image/heic");
  if (heif) return image("heif", "image/heif");
  if (major == "qt  ") return video("mov", "video/quicktime");
  if (major.substr(0, 2) == "3g") return video("3gp", "video/3gpp");
  return video("mp4", "video/mp4");
}

/// Whether a JPEG begins with other bytes than a marker, which decoders skip.
bool isStrayJPEG(std::string_view head) {
  bool hasSegment = false;
  if (!has(head, 0, "\xff\xd8"sv)) return false;
  eachSegment(head, [&](unsigned char marker, std::string_view) {
    // Frame headers and tables, applications' data, comments.
    bool isFrame = marker >= 0xc0 && marker < 0xd0, isApplication = marker >= 0xe0 && marker < 0xf0;
    hasSegment |= isFrame || isApplication || marker == 0xdb || marker == 0xfe;
  });
  return hasSegment;
}

}  // namespace

Format sniff(std::string_view head) {
  for (const Signature& each : signatures) {
    if (has(head, each.at, each.magic) && has(head, each.moreAt, each.more)) return each.format;
  }
  if (isStrayJPEG(head)) return image("jpeg", "image/jpeg");
  if (head.size() >= 12 && has(head, 4, "ftyp")) return byBrand(head);
  if (has(head, 0, "\x1a\x45\xdf\xa3"sv)) {
    bool web = head.substr(0, 64).find("webm") != std::string_view::npos;
    return web ? video("webm", "video/webm") : video("mkv", "video/x-matroska");
  }
  for (size_t packet : {188, 192}) {
    size_t at = packet - 188;
    if (head.size() > at + 2 * packet && head[at] == 'G' && head[at + packet] == 'G' && head[at + 2 * packet] == 'G')
      return video("mpegts", "video/mp2t");
  }
  std::string_view text = has(head, 0, "\xef\xbb\xbf"sv) ? head.substr(3) : head;
  // UTF-16: the search needs only its ASCII characters.
  std::string narrow;
  if (has(head, 0, "\xff\xfe<\0"sv) || has(head, 0, "\xfe\xff\0<"sv)) {
    for (size_t i = 2 + (head[0] == '\xfe'); i < head.size(); i += 2) narrow.push_back(head[i]);
    text = narrow;
  }
  if (!text.empty() && text[0] == '<' && text.find("adobe:ns:meta/") != std::string_view::npos)
    return {Kind::sidecar, "xmp", "application/rdf+xml", false, false};
  return {};
}

Format rawFormat(bool isDNG, const std::string& make, const std::string& model) {
  if (isDNG) return tiffLike("dng", "image/x-adobe-dng");
  std::string name = make;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  auto isOf = [&](const char* maker) { return name.find(maker) != std::string::npos; };
  if (isOf("sony")) return tiffLike("arw", "image/x-sony-arw");
  if (isOf("nikon")) return tiffLike("nef", "image/x-nikon-nef");
  if (isOf("pentax") || isOf("ricoh")) return tiffLike("pef", "image/x-pentax-pef");
  if (isOf("samsung")) return tiffLike("srw", "image/x-samsung-srw");
  if (isOf("hasselblad")) return tiffLike("3fr", "image/x-hasselblad-3fr");
  if (isOf("epson")) return tiffLike("erf", "image/x-epson-erf");
  if (isOf("kodak") && model.find("DCS") != std::string::npos) return tiffLike("dcr", "image/x-kodak-dcr");
  if (isOf("kodak")) return tiffLike("kdc", "image/x-kodak-kdc");
  return tiffLike("raw", "image/x-raw");
}

}  // namespace media
