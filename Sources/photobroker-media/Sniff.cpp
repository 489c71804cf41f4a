#include "Sniff.hpp"

#include <map>

namespace media {

namespace {

Format image(const char* container, const char* mime) { return {Kind::image, container, mime, false, false}; }
Format rawImage(const char* container, const char* mime) { return {Kind::image, container, mime, true, true}; }
Format video(const char* container, const char* mime) { return {Kind::video, container, mime, false, false}; }

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
  if (avif) return image("avif", "image/avif");
  if (heic) return image("heic", "image/heic");
  if (heif) return image("heif", "image/heif");
  if (major == "qt  ") return video("mov", "video/quicktime");
  if (major.substr(0, 2) == "3g") return video("3gp", "video/3gpp");
  return video("mp4", "video/mp4");
}

}  // namespace

Format sniff(std::string_view head) {
  auto begins = [&](std::string_view magic, size_t at = 0) {
    return head.size() >= at + magic.size() && head.substr(at, magic.size()) == magic;
  };
  using namespace std::string_view_literals;
  if (begins("\xff\xd8\xff"sv)) return image("jpeg", "image/jpeg");
  if (begins("\x89PNG\r\n\x1a\n"sv)) return image("png", "image/png");
  if (begins("GIF87a") || begins("GIF89a")) return image("gif", "image/gif");
  if (begins("RIFF") && begins("WEBP", 8)) return image("webp", "image/webp");
  if (begins("RIFF") && begins("AVI ", 8)) return video("avi", "video/x-msvideo");
  if (begins("II\x1a\0\0\0HEAPCCDR"sv)) return {Kind::image, "crw", "image/x-canon-crw", true, false};
  if (begins("FUJIFILMCCD-RAW")) return {Kind::image, "raf", "image/x-fuji-raf", true, false};
  if (begins("IIRO") || begins("IIRS") || begins("MMOR")) return rawImage("orf", "image/x-olympus-orf");
  if (begins("IIU\0"sv)) return rawImage("rw2", "image/x-panasonic-rw2");
  if (begins("\0MRM"sv)) return {Kind::image, "mrw", "image/x-minolta-mrw", true, false};
  if (begins("II*\0"sv) && begins("CR\x02"sv, 8)) return rawImage("cr2", "image/x-canon-cr2");
  if (begins("II*\0"sv) || begins("MM\0*"sv)) return {Kind::image, "tiff", "image/tiff", false, true};
  if (head.size() >= 12 && begins("ftyp", 4)) return byBrand(head);
  for (auto type : {"moov"sv, "mdat"sv, "wide"sv, "free"sv, "skip"sv, "pnot"sv}) {
    if (begins(type, 4)) return video("mov", "video/quicktime");
  }
  if (begins("\x1a\x45\xdf\xa3"sv)) {
    bool web = head.substr(0, 64).find("webm") != std::string_view::npos;
    return web ? video("webm", "video/webm") : video("mkv", "video/x-matroska");
  }
  if (begins("\0\0\1\xba"sv)) return video("mpeg", "video/mpeg");
  if (begins("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"sv))
    return video("asf", "video/x-ms-wmv");
  for (size_t packet : {188, 192}) {
    size_t at = packet - 188;
    if (head.size() > at + 2 * packet && head[at] == 'G' && head[at + packet] == 'G' && head[at + 2 * packet] == 'G')
      return video("mpegts", "video/mp2t");
  }
  std::string_view text = begins("\xef\xbb\xbf"sv) ? head.substr(3) : head;
  // UTF-16: the search needs only its ASCII characters.
  std::string narrow;
  if (begins("\xff\xfe<\0"sv) || begins("\xfe\xff\0<"sv)) {
    for (size_t i = 2 + (head[0] == '\xfe'); i < head.size(); i += 2) narrow.push_back(head[i]);
    text = narrow;
  }
  if (!text.empty() && text[0] == '<' && text.find("adobe:ns:meta/") != std::string_view::npos)
    return {Kind::sidecar, "xmp", "application/rdf+xml", false, false};
  return {};
}

Format rawFormat(bool isDNG, const std::string& extension) {
  if (isDNG) return rawImage("dng", "image/x-adobe-dng");
  if (extension == "arw" || extension == "sr2" || extension == "srf") return rawImage("arw", "image/x-sony-arw");
  if (extension == "nef" || extension == "nrw") return rawImage("nef", "image/x-nikon-nef");
  return rawImage("raw", "image/x-raw");
}

bool isMislabelled(const Format& format, const std::string& extension) {
  // Movies of one family are often renamed among its extensions, and play all the same.
  static const std::map<std::string, std::string> promised = {
      {"jpg", "jpeg"},      {"jpeg", "jpeg"}, {"jpe", "jpeg"},  {"jfif", "jpeg"}, {"thm", "jpeg"}, {"png", "png"},
      {"gif", "gif"},       {"webp", "webp"}, {"heic", "heif"}, {"heif", "heif"}, {"hif", "heif"}, {"avif", "avif"},
      {"tif", "tiff"},      {"tiff", "tiff"}, {"dng", "raw"},   {"arw", "raw"},   {"nef", "raw"},  {"cr2", "raw"},
      {"cr3", "raw"},       {"crw", "raw"},   {"raf", "raw"},   {"orf", "raw"},   {"rw2", "raw"},  {"mrw", "raw"},
      {"mov", "isom"},      {"qt", "isom"},   {"mp4", "isom"},  {"m4v", "isom"},  {"3gp", "isom"}, {"mkv", "matroska"},
      {"webm", "matroska"}, {"avi", "avi"},   {"mts", "mpeg"},  {"m2ts", "mpeg"}, {"mpg", "mpeg"}, {"mpeg", "mpeg"},
      {"wmv", "asf"},       {"xmp", "xmp"}};
  static const std::map<std::string, std::string> family = {
      {"heic", "heif"}, {"mov", "isom"}, {"mp4", "isom"}, {"3gp", "isom"}, {"mkv", "matroska"}, {"webm", "matroska"},
      {"mpegts", "mpeg"}};
  auto expected = promised.find(extension);
  if (expected == promised.end() || format.kind == Kind::unknown) return false;
  auto own = family.find(format.container);
  std::string actual = format.isRaw ? "raw" : own != family.end() ? own->second : format.container;
  return actual != expected->second;
}

}  // namespace media
