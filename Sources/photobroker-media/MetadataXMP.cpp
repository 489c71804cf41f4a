#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "Metadata.hpp"

namespace media {

namespace {

constexpr std::string_view exifSpace = "ns.adobe.com/exif/1.0/", xmpSpace = "ns.adobe.com/xap/1.0/",
                           dublinCore = "purl.org/dc/elements/1.1/";
constexpr std::string_view photoshop = "ns.adobe.com/photoshop/1.0/", camera = "google.com/photos/1.0/camera/";
constexpr std::string_view panoramaSpace = "google.com/photos/1.0/panorama/",
                           gainMap = "ns.adobe.com/hdr-gain-map/1.0/";

/// An XMP coordinate, `47,35.1N` or `47,35,6N`, or a plain signed number.
double coordinate(const std::string& text) {
  double sum = 0, scale = 1;
  const char* at = text.c_str();
  for (int part = 0; part < 3; ++part, scale *= 60) {
    char* end = nullptr;
    double value = std::strtod(at, &end);
    if (end == at) return NAN;
    sum += value / scale;
    at = end;
    if (*at != ',') break;
    ++at;
  }
  if (*at == 'S' || *at == 'W') return -sum;
  return *at == 'N' || *at == 'E' || *at == '\0' ? sum : NAN;
}

/// Uses the GPS time alone: an instant without a local clock.
void applySatelliteDate(const Exiv2::XmpData& xmp, Facts& facts) {
  auto date = parseDate(text(xmp, exifSpace, "GPSTimeStamp"));
  if (!date || date->offsetMinutes != 0) return;
  facts.date = date;
  facts.dateSource = DateSource::gps;
  facts.offsetSource = OffsetSource::utc;
}

/// Whether a date is only a day, as XMP allows.
bool isDay(const std::string& text) {
  return text.find_first_of("T ", text.find_first_not_of(' ')) == std::string::npos && text.size() <= 10;
}

bool isSameDay(const CaptureDate& a, const CaptureDate& b) {
  return a.year == b.year && a.month == b.month && a.day == b.day;
}

/// Fills the gaps of XMP's date from the file's own: the UTC offset, and fractions of the same
/// second.
void complete(CaptureDate& date, Facts& facts) {
  const CaptureDate& own = *facts.date;
  if (facts.dateSource == DateSource::gps) {
    // The GPS time may still give the missing UTC offset.
    facts.offsetSource = date.offsetMinutes ? OffsetSource::tag : OffsetSource::gps;
    if (!date.offsetMinutes) date.offsetMinutes = derivedOffset(date, own);
    return;
  }
  if (date.microsecond == 0 && secondsSince1970(date) == secondsSince1970(own)) date.microsecond = own.microsecond;
  // A container's UTC time says nothing about the camera's local clock.
  if (!date.offsetMinutes && facts.offsetSource != OffsetSource::utc) date.offsetMinutes = own.offsetMinutes;
  else facts.offsetSource = OffsetSource::tag;
}

void applyDate(const Exiv2::XmpData& xmp, bool wins, Facts& facts) {
  // An EXIF date outranks XMP inside the same file; a GPS date, which lacks the local clock, does
  // not.
  if (facts.date && !wins && facts.dateSource != DateSource::gps) {
    if (facts.date->microsecond == 0)
      facts.date->microsecond = parseFraction(text(xmp, exifSpace, "SubSecTimeOriginal"));
    return;
  }
  struct Row { std::string_view space; const char* name; bool isOriginal; };
  for (Row row : {Row{exifSpace, "DateTimeOriginal", true}, Row{photoshop, "DateCreated", true},
                  Row{xmpSpace, "CreateDate", false}, Row{exifSpace, "DateTimeDigitized", false}}) {
    std::string said = text(xmp, row.space, row.name);
    auto date = parseDate(said);
    if (!date) continue;
    // A digitisation date, or a date without a time, does not contradict the capture date.
    if (facts.date && facts.dateSource == DateSource::original && !row.isOriginal) return;
    if (facts.date && facts.dateSource != DateSource::gps && isDay(said) && isSameDay(*date, *facts.date)) return;
    if (date->microsecond == 0) date->microsecond = parseFraction(text(xmp, exifSpace, "SubSecTimeOriginal"));
    if (!date->offsetMinutes) date->offsetMinutes = parseOffset(text(xmp, exifSpace, "OffsetTimeOriginal"));
    if (facts.date) complete(*date, facts);
    else facts.offsetSource = OffsetSource::tag;
    facts.date = date;
    facts.dateSource = DateSource::xmp;
    return;
  }
  if (!facts.date) applySatelliteDate(xmp, facts);
}

void applyKeywords(const Exiv2::XmpData& xmp, bool wins, Facts& facts) {
  for (const auto& datum : xmp) {
    if (datum.groupName() != "dc" || datum.tagName() != "subject") continue;
    if (wins) facts.keywords.clear();
    for (long i = 0; i < datum.count() && facts.keywords.size() < maximumKeywords; ++i) {
      std::string word = cleaned(datum.toString(i), maximumShortTextBytes);
      if (std::find(facts.keywords.begin(), facts.keywords.end(), word) == facts.keywords.end())
        facts.keywords.push_back(word);
    }
    return;
  }
}

}  // namespace

void applyXMP(const Exiv2::XmpData& xmp, bool wins, Facts& facts) {
  auto fill = [&](std::string& field, std::initializer_list<std::pair<std::string_view, const char*>> names) {
    if (!field.empty() && !wins) return;
    for (auto [space, name] : names) {
      std::string value = cleaned(text(xmp, space, name), maximumLongTextBytes);
      if (!value.empty()) { field = value; return; }
    }
  };
  applyDate(xmp, wins, facts);
  fill(facts.title, {{dublinCore, "title"}, {photoshop, "Headline"}});
  fill(facts.caption, {{dublinCore, "description"}});
  fill(facts.make, {{"ns.adobe.com/tiff/1.0/", "Make"}});
  fill(facts.model, {{"ns.adobe.com/tiff/1.0/", "Model"}});
  if (facts.burstIdentifier.empty())
    facts.burstIdentifier = cleaned(text(xmp, camera, "BurstID"), maximumShortTextBytes);
  if (std::string rating = text(xmp, xmpSpace, "Rating"); !rating.empty() && (wins || !facts.rating)) {
    double value = std::strtod(rating.c_str(), nullptr);
    if (value >= -1 && value <= 5) facts.rating = static_cast<int8_t>(value);
  }
  if (wins || !facts.location) {
    std::string latitude = text(xmp, exifSpace, "GPSLatitude"), longitude = text(xmp, exifSpace, "GPSLongitude");
    if (!latitude.empty() && !longitude.empty()) facts.setLocation(coordinate(latitude), coordinate(longitude));
  }
  applyKeywords(xmp, wins, facts);
  if (!text(xmp, panoramaSpace, "ProjectionType").empty()) facts.subtypes |= Subtype::panorama;
  if (hasNamespace(xmp, gainMap)) facts.subtypes |= Subtype::hdr;
  if (text(xmp, exifSpace, "UserComment").find("Screenshot") != std::string::npos)
    facts.subtypes |= Subtype::screenshot;
}

void readSidecarFacts(Input& sidecar, Facts& facts) {
  Exiv2::XmpData xmp;
  if (parseXMP(sidecar.whole(), xmp)) applyXMP(xmp, true, facts);
  else facts.problems.insert(Problem::sidecarDamaged);
}

}  // namespace media
