#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "Caption.hpp"
#include "Metadata.hpp"

namespace media {

namespace {

constexpr std::string_view exifSpace = "ns.adobe.com/exif/1.0/", xmpSpace = "ns.adobe.com/xap/1.0/",
                           dublinCore = "purl.org/dc/elements/1.1/";
constexpr std::string_view photoshop = "ns.adobe.com/photoshop/1.0/", camera = "google.com/photos/1.0/camera/";
constexpr std::string_view panoramaSpace = "google.com/photos/1.0/panorama/",
                           gainMap = "ns.adobe.com/hdr-gain-map/1.0/";

/// An XMP coordinate, `47,35.1N` or `47,35,6N`. Some programs write a plain number, signed or with
/// the side in a property of its own, or rationals as in EXIF.
double coordinate(const std::string& text, const std::string& reference) {
  double sum = 0, scale = 1;
  const char* at = text.c_str();
  auto number = [&] {
    char* end = nullptr;
    double value = std::strtod(at, &end);
    if (end == at) return static_cast<double>(NAN);
    at = end;
    return value;
  };
  for (int part = 0; part < 3; ++part, scale *= 60) {
    double value = number();
    if (*at == '/') { ++at; value /= number(); }
    // Unused parts may be 0/0.
    sum += std::isnan(value) && part > 0 ? 0 : std::fabs(value) / scale;
    while (*at == ' ' || *at == ',') ++at;
    if (*at == '\0' || std::isalpha(static_cast<unsigned char>(*at))) break;
  }
  size_t start = reference.find_first_not_of(' ');
  char side = *at != '\0' ? *at : start == std::string::npos ? 'N' : reference[start];
  switch (std::toupper(static_cast<unsigned char>(side))) {
    case 'S': case 'W': return -sum;
    case 'N': case 'E': return text.find('-') == std::string::npos ? sum : -sum;
    default: return NAN;
  }
}

/// Uses the GPS time alone: an instant without a local clock.
void applySatelliteDate(const Exiv2::XmpData& xmp, Facts& facts) {
  auto date = parseDate(text(xmp, exifSpace, "GPSTimeStamp"));
  if (!date || date->isPartial() || date->offsetMinutes != 0) return;
  facts.date = date;
  facts.dateSource = DateSource::gps;
  facts.offsetSource = OffsetSource::utc;
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
  // A container's UTC time, and a scanner's clock, say nothing about the camera's local clock.
  bool isSameClock = facts.offsetSource != OffsetSource::utc &&
                     (facts.dateSource != DateSource::digitized || secondsSince1970(date) == secondsSince1970(own));
  if (!date.offsetMinutes && isSameClock) date.offsetMinutes = own.offsetMinutes;
  else facts.offsetSource = OffsetSource::tag;
}

void applyDate(const Exiv2::XmpData& xmp, bool wins, Facts& facts) {
  // An EXIF date of capture outranks XMP inside the same file, unless XMP refines it. A GPS date,
  // which lacks the local clock, a date of digitisation and a film's own date do not.
  bool isFilm = facts.date && facts.dateSource == DateSource::container;
  bool isWeak =
      !facts.date || isFilm || facts.dateSource == DateSource::gps || facts.dateSource == DateSource::digitized;
  bool isStrong = !isWeak && !wins;
  if (isStrong && facts.date->precision == Precision::second) {
    if (facts.date->microsecond == 0)
      facts.date->microsecond = parseFraction(text(xmp, exifSpace, "SubSecTimeOriginal"));
    return;
  }
  struct Row { std::string_view space; const char* name; bool isOriginal; };
  for (Row row : {Row{exifSpace, "DateTimeOriginal", true}, Row{photoshop, "DateCreated", true},
                  Row{xmpSpace, "CreateDate", false}, Row{exifSpace, "DateTimeDigitized", false}}) {
    auto date = parseDate(text(xmp, row.space, row.name));
    if (!date || (isStrong && !facts.date->isRefinedBy(*date))) continue;
    // A digitisation date, or one that is less precise, does not contradict the capture date.
    if (facts.date && facts.dateSource == DateSource::original && !row.isOriginal && !isStrong) return;
    bool isOwnClock = (isFilm && facts.offsetSource != OffsetSource::utc) || facts.dateSource == DateSource::digitized;
    if (facts.date && isOwnClock && !row.isOriginal && !wins) return;
    if (facts.date && facts.dateSource != DateSource::gps && date->covers(*facts.date)) return;
    if (date->isPartial()) facts.date.reset();
    else if (date->microsecond == 0) date->microsecond = parseFraction(text(xmp, exifSpace, "SubSecTimeOriginal"));
    if (!date->offsetMinutes && !date->isPartial())
      date->offsetMinutes = parseOffset(text(xmp, exifSpace, "OffsetTimeOriginal"));
    if (facts.date) complete(*date, facts);
    else facts.offsetSource = OffsetSource::tag;
    facts.date = date;
    facts.dateSource = row.isOriginal ? DateSource::xmp : DateSource::digitized;
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
    bool isWords = &field == &facts.title || &field == &facts.caption;
    for (auto [space, name] : names) {
      std::string value = isWords ? personsText(text(xmp, space, name), facts)
                                  : cleaned(text(xmp, space, name), maximumLongTextBytes);
      if (!value.empty()) { field = value; return; }
    }
  };
  applyDate(xmp, wins, facts);
  fill(facts.title, {{dublinCore, "title"}, {photoshop, "Headline"}});
  fill(facts.caption, {{dublinCore, "description"}});
  fill(facts.make, {{"ns.adobe.com/tiff/1.0/", "Make"}});
  fill(facts.model, {{"ns.adobe.com/tiff/1.0/", "Model"}});
  // Programs keep the identifier here when they drop Apple's note, each in a namespace of its own.
  for (const char* name : {"ContentIdentifier", "MediaGroupUUID", "LivePhotoUUID"}) {
    if (facts.liveIdentifier.empty()) facts.liveIdentifier = cleaned(text(xmp, "", name), maximumShortTextBytes);
  }
  if (facts.burstIdentifier.empty())
    facts.burstIdentifier = cleaned(text(xmp, camera, "BurstID"), maximumShortTextBytes);
  if (std::string rating = text(xmp, xmpSpace, "Rating"); !rating.empty() && (wins || !facts.rating)) {
    double value = std::strtod(rating.c_str(), nullptr);
    if (value >= -1 && value <= 5) facts.rating = static_cast<int8_t>(value);
  }
  if (wins || !facts.location) {
    std::string latitude = text(xmp, exifSpace, "GPSLatitude"), longitude = text(xmp, exifSpace, "GPSLongitude");
    if (!latitude.empty() && !longitude.empty())
      facts.setLocation(coordinate(latitude, text(xmp, exifSpace, "GPSLatitudeRef")),
                        coordinate(longitude, text(xmp, exifSpace, "GPSLongitudeRef")));
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
