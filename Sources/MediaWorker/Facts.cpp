#include "Facts.hpp"

#include "NeededParts.hpp"
#include "Videos.hpp"

#include <cmath>
#include <cstdio>
#include <iterator>

namespace media {

namespace {

/// Ten decimals of a degree are a hundredth of a millimetre. The C locale writes a decimal point.
std::string decimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.10f", value);
  return text;
}

void writeDate(const Facts& facts, Answer& answer) {
  static constexpr const char* sources[] = {"original", "digitized", "xmp", "iptc", "text", "gps", "container"};
  static constexpr const char* offsets[] = {"tag", "gps", "utc"};
  if (!facts.date) return;
  const CaptureDate& date = *facts.date;
  std::string value;
  for (uint32_t part : {uint32_t{date.year}, uint32_t{date.month}, uint32_t{date.day}, uint32_t{date.hour},
                        uint32_t{date.minute}, uint32_t{date.second}, date.microsecond}) {
    value += std::to_string(part) + " ";
  }
  answer.line("date", value + sources[static_cast<size_t>(facts.dateSource)] + (date.isPartial() ? " partial" : ""));
  if (date.offsetMinutes)
    answer.line("offset", std::to_string(*date.offsetMinutes) + " " + offsets[static_cast<size_t>(facts.offsetSource)]);
}

void writeSubtypes(uint32_t subtypes, Answer& answer) {
  static constexpr const char* names[] = {"panorama",        "hdr",  "screenshot", "raw", "animated",
                                          "high-frame-rate", "live", "motion"};
  std::string value;
  for (size_t bit = 0; bit < std::size(names); ++bit) {
    if (subtypes >> bit & 1) value += (value.empty() ? "" : " ") + std::string(names[bit]);
  }
  if (!value.empty()) answer.line("subtypes", value);
}

}  // namespace

void Facts::setLocation(double latitude, double longitude) {
  if (!std::isfinite(latitude) || !std::isfinite(longitude)) return;
  if (std::fabs(latitude) > 90 || std::fabs(longitude) > 180) return;
  if (latitude == 0 && longitude == 0) return;
  location = {latitude, longitude};
}

void Facts::write(Answer& answer) const {
  static constexpr const char* kinds[] = {"unknown", "image", "video", "sidecar"};
  answer.line("kind", kinds[static_cast<size_t>(format.kind)]);
  answer.text("type", format.mimeType, maximumShortTextBytes);
  answer.text("container", format.container, maximumShortTextBytes);
  if (width && height) answer.line("size", width, height);
  if (codedWidth && codedHeight) answer.line("coded", codedWidth, codedHeight);
  answer.line("orientation", orientation);
  for (Problem each : problems) answer.problem(each);
  writeDate(*this, answer);
  if (location) {
    answer.line("location", decimal(location->first) + " " + decimal(location->second));
    if (altitude && std::isfinite(*altitude) && std::fabs(*altitude) < 100'000)
      answer.line("altitude", decimal(*altitude));
  }
  answer.text("make", make, maximumShortTextBytes);
  answer.text("model", model, maximumShortTextBytes);
  answer.text("camera", ownCamera, maximumShortTextBytes);
  // Midnight stands for a day without a time, and for a clock that was never set.
  if (ownDate && !ownDate->isPartial() && secondsSince1970(*ownDate) % 86'400 != 0)
    answer.line("captured", std::to_string(secondsSince1970(*ownDate)) + " " + std::to_string(ownDate->microsecond));
  if (!picture.empty()) answer.line("picture", picture);
  if (durationMilliseconds) answer.line("duration", *durationMilliseconds);
  if (frameRate) answer.line("rate", *frameRate);
  answer.text("live", liveIdentifier, maximumShortTextBytes);
  answer.text("burst", burstIdentifier, maximumShortTextBytes);
  writeSubtypes(subtypes | (liveIdentifier.empty() ? 0 : Subtype::live) | (motionPhoto ? Subtype::motion : 0), answer);
  if (frames > 1) answer.line("frames", frames);
  if (motionPhoto) answer.line("motion", motionPhoto->first, motionPhoto->second);
  if (rating) answer.line("rating", std::to_string(*rating));
  answer.text("title", title, maximumLongTextBytes);
  answer.text("caption", caption, maximumLongTextBytes);
  for (size_t i = 0; i < keywords.size() && i < maximumKeywords; ++i)
    answer.text("keyword", keywords[i], maximumShortTextBytes);
}

Facts readFacts(Input& input, Input* sidecar) {
  Facts facts;
  facts.format = sniff(input.head());
  if (!hasNeededParts(input, facts.format)) return facts;
  switch (facts.format.kind) {
    case Kind::image: readImageFacts(input, facts); break;
    case Kind::video: readVideoFacts(input, facts); break;
    case Kind::sidecar: readSidecarFacts(input, facts); break;
    case Kind::unknown: facts.problems.insert(Problem::unreadable); break;
  }
  facts.ownDate = facts.date;
  facts.ownCamera = facts.make + " " + facts.model;
  if (sidecar) readSidecarFacts(*sidecar, facts);
  return facts;
}

}  // namespace media
