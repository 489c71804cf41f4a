#include <cstdlib>
#include <string_view>

#include "AVCHDDate.hpp"
#include "Boxes.hpp"
#include "CameraClock.hpp"
#include "Caption.hpp"
#include "FilmBoxes.hpp"
#include "Metadata.hpp"
#include "Movie.hpp"
#include "OlderFilmDate.hpp"
#include "Picture.hpp"
#include "Truncation.hpp"
#include "Videos.hpp"

namespace media {

namespace {

std::string tag(const Movie& movie, const char* name) {
  AVDictionaryEntry* entry = av_dict_get(movie.context()->metadata, name, nullptr, 0);
  return entry && entry->value ? entry->value : std::string();
}

std::string firstOf(const Movie& movie, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = tag(movie, name); !value.empty()) return value;
  }
  return {};
}

/// ISO 6709: `+37.7450-122.4301+066.374/`, each number with its sign.
void applyLocation(const std::string& text, Facts& facts) {
  const char* at = text.c_str();
  double parts[3];
  int count = 0;
  while (count < 3 && (*at == '+' || *at == '-')) {
    char* end = nullptr;
    parts[count++] = std::strtod(at, &end);
    at = end;
  }
  if (count < 2) return;
  facts.setLocation(parts[0], parts[1]);
  if (count == 3) facts.altitude = parts[2];
}

/// The container's date. It counts in UTC, except in AVI, and in films of cameras that have no time
/// zone or write their local clock all the same.
std::optional<CaptureDate> containerDate(const Input& input, const Movie& movie, const std::string& container) {
  // libavformat adds no `Z` to the dates of AVI files.
  auto date = parseDate(tag(movie, "creation_time"));
  if (!date && container == "avi") date = readAVIDate(input);
  if (!date && container == "asf") date = readASFDate(input);
  // Containers count from 1904 or 1970; an unset clock reads as one of the two.
  if (!date || date->year <= 1904 || secondsSince1970(*date) == 0) return {};
  if (date->offsetMinutes == 0 && isLocalClock(input, movie)) date->offsetMinutes.reset();
  return date;
}

void applyDate(const Input& input, Movie& movie, Facts& facts) {
  facts.dateSource = DateSource::container;
  facts.offsetSource = OffsetSource::tag;
  // Apple's keys keep the local clock with its offset. The second one, the date of the content,
  // may be a day or a year.
  facts.date = parseDate(tag(movie, "com.apple.quicktime.creationdate"));
  if (facts.date) return;
  bool isApple = std::string_view(movie.context()->iformat->name).find("mov") != std::string_view::npos;
  auto container = containerDate(input, movie, facts.format.container);
  auto content = isApple ? parseDate(readUserDate(input)) : std::nullopt;
  if (!content) content = parseDate(tag(movie, "date"));
  if (content && (!container || (isApple && !content->covers(*container)))) {
    facts.date = content;
  } else if (container) {
    facts.date = container;
    if (container->offsetMinutes) facts.offsetSource = OffsetSource::utc;
  } else if (facts.format.container == "mpegts") {
    facts.date = readAVCHDDate(movie);
  }
}

bool isTruncatedVideo(const Input& input, const std::string& container) {
  auto read = [&](uint64_t at, void* to, size_t count) { return input.read(at, to, count); };
  if (container == "mov" || container == "mp4" || container == "3gp") return isMovieTruncated(read, input.size());
  if (container == "avi") return isTruncatedRIFF(read, input.size());
  if (container == "mkv" || container == "webm") return isTruncatedMatroska(read, input.size());
  if (container == "mpegts") return isTruncatedTransportStream(read, input.size());
  return false;
}

}  // namespace

void readSequenceDate(const Input& input, Facts& facts) {
  Movie movie(input);
  if (movie.isOpen()) applyDate(input, movie, facts);
}

void readVideoFacts(Input& input, Facts& facts) {
  Movie movie(input);
  AVStream* stream = movie.video();
  if (isTruncatedVideo(input, facts.format.container)) facts.problems.insert(Problem::truncated);
  if (!stream) {
    facts.problems.insert(Problem::unreadable);
    // A container of sound alone is no video.
    if (movie.isOpen() && movie.context()->nb_streams > 0) facts.format.kind = Kind::unknown;
    return;
  }
  movie.displaySize(facts.width, facts.height);
  facts.codedWidth = static_cast<uint32_t>(stream->codecpar->width > 0 ? stream->codecpar->width : 0);
  facts.codedHeight = static_cast<uint32_t>(stream->codecpar->height > 0 ? stream->codecpar->height : 0);
  facts.orientation = movie.orientation();
  if (movie.context()->duration > 0)
    facts.durationMilliseconds = static_cast<uint64_t>(movie.context()->duration / 1000);
  applyDate(input, movie, facts);
  applyLocation(firstOf(movie, {"com.apple.quicktime.location.ISO6709", "location"}), facts);
  facts.make = firstOf(movie, {"com.apple.quicktime.make", "make", "com.android.manufacturer"});
  facts.model = firstOf(movie, {"com.apple.quicktime.model", "model", "com.android.model"});
  facts.liveIdentifier = cleaned(tag(movie, "com.apple.quicktime.content.identifier"), maximumShortTextBytes);
  facts.title = personsText(tag(movie, "title"), facts);
  facts.caption =
      personsText(firstOf(movie, {"com.apple.quicktime.description", "description", "comment"}), facts);
  Exiv2::XmpData xmp;
  if (parseXMP(readFilmXMP(input), xmp)) applyXMP(xmp, false, facts);
  AVRational rate = stream->avg_frame_rate;
  double perSecond = rate.num > 0 && rate.den > 0 ? static_cast<double>(rate.num) / rate.den : 0;
  if (perSecond > 0 && perSecond < 100'000) facts.frameRate = static_cast<uint32_t>(perSecond * 1000 + 0.5);
  // Slow motion is often stored at a normal rate, with the camera's rate in a tag.
  double captured = std::strtod(tag(movie, "com.android.capture.fps").c_str(), nullptr);
  if (perSecond >= 100 || captured >= 100) facts.subtypes |= Subtype::highFrameRate;
  auto curve = stream->codecpar->color_trc;
  if (curve == AVCOL_TRC_SMPTE2084 || curve == AVCOL_TRC_ARIB_STD_B67) facts.subtypes |= Subtype::hdr;
  facts.picture = filmDigest(input, facts.format);
}

}  // namespace media
