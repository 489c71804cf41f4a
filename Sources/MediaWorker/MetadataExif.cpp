#include <cmath>
#include <cstdlib>

#include "AppleMakerNote.hpp"
#include "Caption.hpp"
#include "Metadata.hpp"

namespace media {

namespace {

constexpr uint16_t dateTime = 0x0132, dateTimeOriginal = 0x9003, dateTimeDigitized = 0x9004;
constexpr uint16_t offsetTime = 0x9010, offsetTimeOriginal = 0x9011, offsetTimeDigitized = 0x9012;
constexpr uint16_t subSecondsOriginal = 0x9291, subSecondsDigitized = 0x9292;

double rational(const Exiv2::Exifdatum& datum, long index) {
  auto quotient = [](auto parts) { return parts.second == 0 ? NAN : static_cast<double>(parts.first) / parts.second; };
  // exiv2's toRational() is signed whatever the type: numerators from 2^31 on would be negative.
  const auto* exact = dynamic_cast<const Exiv2::URationalValue*>(&datum.value());
  return exact ? quotient(exact->value_.at(static_cast<size_t>(index))) : quotient(datum.toRational(index));
}

/// Degrees, minutes and seconds as one number. Missing parts count as zero, 0/0 as NaN.
double degrees(const Exiv2::ExifData& exif, uint16_t tag, uint16_t reference, char negative) {
  const auto* datum = find(exif, "GPSInfo", tag);
  // Some writers store text, `45,32,38.27` or `NaN,0,0`, whose bytes would read as numbers.
  if (!datum || datum->count() == 0 ||
      (datum->typeId() != Exiv2::unsignedRational && datum->typeId() != Exiv2::signedRational))
    return NAN;
  double sum = 0, scale = 1;
  for (long i = 0; i < datum->count() && i < 3; ++i, scale *= 60) {
    double part = rational(*datum, i);
    // Some cameras write the unused seconds as 0/0.
    if (std::isnan(part) && i > 0 && sum != 0) part = 0;
    sum += part / scale;
  }
  std::string side = text(exif, "GPSInfo", reference);
  return !side.empty() && (side[0] == negative || side[0] == negative + 32) ? -sum : sum;
}

std::optional<CaptureDate> satelliteTime(const Exiv2::ExifData& exif) {
  auto date = parseDate(text(exif, "GPSInfo", 0x001d));
  const auto* time = find(exif, "GPSInfo", 0x0007);
  if (!date || date->isPartial() || !time || time->count() < 3) return {};
  double hour = rational(*time, 0), minute = rational(*time, 1), second = rational(*time, 2);
  if (!(hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60)) return {};
  date->hour = static_cast<uint8_t>(hour);
  date->minute = static_cast<uint8_t>(minute);
  date->second = static_cast<uint8_t>(second);
  date->microsecond = static_cast<uint32_t>((second - std::floor(second)) * 1e6);
  date->precision = Precision::second;
  return date;
}

void applyDate(const Exiv2::ExifData& exif, Facts& facts) {
  struct Row { uint16_t date, offset, fraction; DateSource source; };
  auto satellite = satelliteTime(exif);
  for (Row row : {Row{dateTimeOriginal, offsetTimeOriginal, subSecondsOriginal, DateSource::original},
                  Row{dateTimeDigitized, offsetTimeDigitized, subSecondsDigitized, DateSource::digitized}}) {
    auto date = parseDate(text(exif, "Photo", row.date));
    // TIFF/EP, which old cameras write, has the date in the first directory.
    if (!date) date = parseDate(text(exif, "Image", row.date));
    if (!date || (facts.date && !facts.date->isRefinedBy(*date))) continue;
    facts.date = date;
    facts.dateSource = row.source;
    facts.offsetSource = OffsetSource::tag;
    if (date->isPartial()) continue;
    if (date->microsecond == 0) date->microsecond = parseFraction(cleaned(text(exif, "Photo", row.fraction), 16));
    if (!date->offsetMinutes) date->offsetMinutes = parseOffset(text(exif, "Photo", row.offset));
    // OffsetTime belongs to the last change. It holds for the capture only if both times are equal.
    bool isUnchanged = text(exif, "Image", dateTime) == text(exif, "Photo", row.date);
    if (!date->offsetMinutes && isUnchanged) date->offsetMinutes = parseOffset(text(exif, "Photo", offsetTime));
    if (!date->offsetMinutes && satellite) {
      date->offsetMinutes = derivedOffset(*date, *satellite);
      facts.offsetSource = OffsetSource::gps;
    }
    facts.date = date;
    if (date->precision == Precision::second) return;
  }
  if (satellite && !facts.date) {
    satellite->offsetMinutes = 0;
    facts.date = satellite;
    facts.dateSource = DateSource::gps;
    facts.offsetSource = OffsetSource::utc;
  }
}

void applyApple(const Exiv2::ExifData& exif, Facts& facts) {
  const auto* note = find(exif, "Photo", 0x927c);
  if (!note || note->size() <= 0) return;
  std::string bytes(static_cast<size_t>(note->size()), '\0');
  note->copy(reinterpret_cast<Exiv2::byte*>(bytes.data()), Exiv2::bigEndian);
  AppleMakerNote apple = readAppleMakerNote(bytes);
  facts.liveIdentifier = apple.content;
  facts.burstIdentifier = apple.burst;
  // Apple's own values of CustomRendered.
  const auto* rendered = find(exif, "Photo", 0xa401);
  switch (rendered && rendered->count() > 0 && bytes.substr(0, 9) == "Apple iOS" ? integer(*rendered) : 0) {
    case 2: case 3: case 7: facts.subtypes |= Subtype::hdr; break;
    case 6: facts.subtypes |= Subtype::panorama; break;
    default: break;
  }
}

}  // namespace

void applyExif(const Exiv2::ExifData& exif, Facts& facts) {
  facts.make = text(exif, "Image", 0x010f);
  facts.model = text(exif, "Image", 0x0110);
  facts.caption = personsText(text(exif, "Image", 0x010e), facts);
  const auto* orientation = find(exif, "Image", 0x0112);
  if (orientation && orientation->count() > 0) {
    int64_t value = integer(*orientation);
    if (value >= 1 && value <= 8) facts.orientation = static_cast<uint8_t>(value);
  }
  const auto* rating = find(exif, "Image", 0x4746);
  if (rating && rating->count() > 0 && integer(*rating) >= 0 && integer(*rating) <= 5)
    facts.rating = static_cast<int8_t>(integer(*rating));
  applyDate(exif, facts);
  facts.setLocation(degrees(exif, 0x0002, 0x0001, 'S'), degrees(exif, 0x0004, 0x0003, 'W'));
  if (const auto* altitude = find(exif, "GPSInfo", 0x0006); altitude && altitude->count() > 0) {
    double metres = rational(*altitude, 0);
    const auto* reference = find(exif, "GPSInfo", 0x0005);
    bool below = reference && reference->count() > 0 && integer(*reference) == 1;
    if (std::isfinite(metres)) facts.altitude = below ? -metres : metres;
  }
  if (text(exif, "Photo", 0x9286).find("Screenshot") != std::string::npos) facts.subtypes |= Subtype::screenshot;
  applyApple(exif, facts);
}

/// IPTC's date of creation, else of digitisation. Each is a day and a time in two entries.
void applyIptcDate(const Exiv2::IptcData& iptc, Facts& facts) {
  struct Row { uint16_t day, time; bool isOriginal; };
  for (Row row : {Row{Exiv2::IptcDataSets::DateCreated, Exiv2::IptcDataSets::TimeCreated, true},
                  Row{Exiv2::IptcDataSets::DigitizationDate, Exiv2::IptcDataSets::DigitizationTime, false}}) {
    auto value = [&](uint16_t tag) {
      auto found = iptc.findKey(Exiv2::IptcKey(tag, Exiv2::IptcDataSets::application2));
      return found == iptc.end() ? std::string() : cleaned(found->toString(), maximumShortTextBytes);
    };
    std::string day = value(row.day), time = value(row.time);
    // exiv2 leaves values as they are that break the format.
    if (day.size() == 8 && day.find_first_not_of("0123456789") == std::string::npos) day.insert(6, "-").insert(4, "-");
    auto date = parseDate(day);
    if (!date) continue;
    if (auto whole = parseDate(day + " " + time); whole && !date->isPartial()) date = whole;
    bool isBetter = !facts.date || facts.dateSource == DateSource::gps || facts.date->isRefinedBy(*date) ||
                    (row.isOriginal && facts.dateSource == DateSource::digitized);
    if (!isBetter || (facts.date && facts.dateSource != DateSource::gps && date->covers(*facts.date))) return;
    facts.date = date;
    facts.dateSource = row.isOriginal ? DateSource::iptc : DateSource::digitized;
    facts.offsetSource = OffsetSource::tag;
    return;
  }
}

void applyIptc(const Exiv2::IptcData& iptc, Facts& facts) {
  applyIptcDate(iptc, facts);
  // Writers keep EXIF and IPTC alike, but IPTC often has the poorer character set.
  bool wantsKeywords = facts.keywords.empty();
  for (const auto& datum : iptc) {
    if (datum.record() != Exiv2::IptcDataSets::application2) continue;
    std::string value = cleaned(datum.toString(), maximumLongTextBytes);
    if (datum.tag() == Exiv2::IptcDataSets::ObjectName && facts.title.empty()) facts.title = personsText(value, facts);
    if (datum.tag() == Exiv2::IptcDataSets::Caption && facts.caption.empty()) facts.caption = personsText(value, facts);
    if (datum.tag() == Exiv2::IptcDataSets::Keywords && wantsKeywords && facts.keywords.size() < maximumKeywords)
      facts.keywords.push_back(value);
  }
}

void applyWindowsTexts(const Exiv2::ExifData& exif, Facts& facts) {
  constexpr uint16_t title = 0x9c9b, comment = 0x9c9c;
  auto fill = [&](std::string& field, uint16_t tag) {
    const auto* datum = find(exif, "Image", tag);
    if (!field.empty() || !datum || datum->size() <= 0) return;
    std::string bytes(static_cast<size_t>(datum->size()), '\0');
    datum->copy(reinterpret_cast<Exiv2::byte*>(bytes.data()), Exiv2::littleEndian);
    field = personsText(utf8("\xff\xfe" + bytes), facts);
  };
  fill(facts.title, title);
  fill(facts.caption, comment);
}

void applyTexts(const Texts& texts, Facts& facts) {
  for (const auto& [keyword, text] : texts) {
    bool isCreation = keyword == "Creation Time" || keyword == "CreationTime" || keyword == "create-date";
    if (!isCreation || (facts.date && facts.dateSource != DateSource::gps)) continue;
    auto date = parseDate(text);
    if (!date) date = parseMailDate(text);
    if (!date) continue;
    facts.date = date;
    facts.dateSource = DateSource::text;
    facts.offsetSource = OffsetSource::tag;
  }
}

}  // namespace media
