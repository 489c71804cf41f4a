#include "CameraClock.hpp"

#include <cctype>
#include <string>

#include "Boxes.hpp"

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

/// Calls `visit` with the type, place and length of each box's content between two places.
template <typename Visit>
void eachBox(const Input& input, uint64_t from, uint64_t to, Visit visit) {
  constexpr int boxLimit = 1000;
  for (int i = 0; i < boxLimit && to - from >= 8 && from <= to; ++i) {
    char header[16];
    size_t got = input.read(from, header, to - from < sizeof header ? 8 : sizeof header);
    if (got < 8) return;
    std::string_view view(header, got);
    uint64_t size = big(view, 0, 4), start = 8;
    if (size == 1) { size = big(view, 8, 8); start = 16; }
    if (size == 0) size = to - from;
    if (size < start || size > to - from) return;
    visit(view.substr(4, 4), from + start, from + size);
    from += size;
  }
}

bool hasEntry(const Input& input) {
  bool found = false;
  eachBox(input, 0, input.size(), [&](std::string_view type, uint64_t from, uint64_t to) {
    if (type != "moov") return;
    eachBox(input, from, to, [&](std::string_view type, uint64_t from, uint64_t to) {
      if (type != "udta") return;
      eachBox(input, from, to, [&](std::string_view type, uint64_t, uint64_t) {
        for (const char* entry : entries) found |= type == entry;
      });
    });
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
