#include "Caption.hpp"

#include <cctype>
#include <string_view>

namespace media {

namespace {

/// Texts of cameras and programs, in lower case; many are known from PhotoPrism's list.
constexpr const char* fixedTexts[] = {
    "sony dsc", "minolta dsc", "olympus corporation", "dsc", "digital camera", "digital still camera",
    "digital stillcamera", "samsung",
    "samsung camera pictures", "lg electronics", "kodak", "default", "untitled", "exif_jpeg_picture", "exif jpeg",
    "jpeg picture", "binary comment", "charset=ascii", "user comments", "created by imlib", "iclarified",
    "dvc 10.1 hdmi", "created with gimp", "file written by adobe photoshop", "lead technologies inc. v1.01",
    "my beautiful picture",
    // Modes of phones' cameras.
    "hdr", "cof", "rbs", "rbt", "rhdr", "hdrpl", "oznor", "oznorwo", "frontbhdp", "fbt", "fbthdr", "ptr", "btr", "btf",
    "btfhdr", "btfmdn", "mde", "mde_soft", "edf", "bdr", "frem", "rpt", "qrf", "fshbty", "sdr_hdrb", "kirito",
};

constexpr const char* makers[] = {
    "agfa", "canon", "casio", "epson", "fuji", "fujifilm", "hp", "jenoptik", "kodak", "konica", "konica minolta",
    "leica",
    "minolta", "nikon", "olympus", "panasonic", "pentax", "polaroid", "ricoh", "samsung", "sanyo", "sigma", "sony",
    "toshiba", "vivitar",
};

bool endsInCamera(const std::string& text) {
  constexpr std::string_view end = "camera";
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string lowercase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Runs of spaces as one.
std::string squeezed(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out.push_back(c);
  }
  return out;
}

bool isFixedText(const std::string& text, const Facts& facts) {
  std::string lower = lowercase(squeezed(text));
  for (const char* each : fixedTexts) {
    if (lower == each) return true;
  }
  auto begins = [&](const char* start) { return lower.rfind(start, 0) == 0; };
  // `DCIM\100GOPRO`, `DCIM\100MEDIA\DJI_0001.JPG` and Samsung's `<Digimax i5, Samsung #1>`.
  if (begins("dcim\\") || begins("dcim/") || begins("<digimax") || begins("<kenox")) return true;
  // `OLYMPUS DIGITAL CAMERA` and those of other makers.
  for (const char* maker : makers) {
    std::string start = std::string(maker) + " digital ";
    if (begins(start.c_str()) && lower.size() <= start.size() + 13 && endsInCamera(lower)) return true;
  }
  std::string make = lowercase(cleaned(facts.make, maximumShortTextBytes));
  std::string model = lowercase(cleaned(facts.model, maximumShortTextBytes));
  return lower == make || lower == model || lower == squeezed(make + " " + model);
}

}  // namespace

std::string personsText(const std::string& text, const Facts& facts) {
  std::string clean = cleaned(text, maximumLongTextBytes);
  return isFixedText(clean, facts) ? std::string() : clean;
}

}  // namespace media
