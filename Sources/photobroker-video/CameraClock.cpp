#include "CameraClock.hpp"

#include <cctype>
#include <string>

#include "FilmBoxes.hpp"

namespace media {

namespace {

/// Words of such cameras, in lower case, in the vendor, brand, encoder, maker or track names.
constexpr const char* words[] = {"pana", "leic", "niko", "gopro", "olym", "fe20", "pent", "casio", "kodak", "kdak",
                                 "mino", "kmpi", "sany", "fujifilm", "ricoh"};
/// Entries of the user data that only these cameras write. https://exiftool.org/TagNames/QuickTime.html
constexpr const char* entries[] = {"PANA", "LEIC", "NCDT", "NCTG", "GPMF", "FIRM", "GoPr", "QVMI", "MMA0",
                                   "MMA1", "DcMD", "PENT", "PXTH", "PXMN", "MVTG", "RICO"};

bool hasWord(const AVDictionary* metadata) {
  for (const char* name : {"major_brand", "compatible_brands", "vendor_id", "encoder", "handler_name", "make",
                           "com.apple.quicktime.make", "manufacturer"}) {
    const AVDictionaryEntry* entry = av_dict_get(metadata, name, nullptr, 0);
    std::string value = entry && entry->value ? entry->value : "";
    for (char& c : value) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* word : words) {
      if (value.find(word) != std::string::npos) return true;
    }
  }
  return false;
}

bool hasEntry(const Input& input) {
  bool found = false;
  eachUserData(input, [&](std::string_view type, uint64_t, uint64_t) {
    for (const char* entry : entries) found |= type == entry;
  });
  return found;
}

}  // namespace

bool isLocalClock(const Input& input, const Movie& movie) {
  if (std::string_view(movie.context()->iformat->name).find("mov") == std::string_view::npos) return false;
  AVStream* stream = movie.video();
  return hasWord(movie.context()->metadata) || (stream && hasWord(stream->metadata)) || hasEntry(input);
}

}  // namespace media
