#include "FilmBoxes.hpp"

#include "Boxes.hpp"

namespace media {

namespace {

std::string content(const Input& input, uint64_t from, uint64_t to) {
  constexpr uint64_t limitBytes = 4 << 20;
  std::string bytes;
  if (to < from || to - from > limitBytes) return bytes;
  bytes.resize(static_cast<size_t>(to - from));
  bytes.resize(input.read(from, bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace

void eachFilmBox(const Input& input, uint64_t from, uint64_t to, const VisitFilmBox& visit) {
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

void eachUserData(const Input& input, const VisitFilmBox& visit) {
  eachFilmBox(input, 0, input.size(), [&](std::string_view type, uint64_t from, uint64_t to) {
    if (type != "moov") return;
    eachFilmBox(input, from, to, [&](std::string_view type, uint64_t from, uint64_t to) {
      if (type == "udta") eachFilmBox(input, from, to, visit);
    });
  });
}

std::string readUserDate(const Input& input) {
  std::string date;
  eachUserData(input, [&](std::string_view type, uint64_t from, uint64_t to) {
    if (type == "date") date = content(input, from, to);
  });
  return date;
}

std::string readFilmXMP(const Input& input) {
  constexpr std::string_view adobe("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac", 16);
  std::string xmp;
  eachFilmBox(input, 0, input.size(), [&](std::string_view type, uint64_t from, uint64_t to) {
    if (type == "uuid" && to - from > adobe.size() && content(input, from, from + adobe.size()) == adobe)
      xmp = content(input, from + adobe.size(), to);
  });
  eachUserData(input, [&](std::string_view type, uint64_t from, uint64_t to) {
    if (type == "XMP_") xmp = content(input, from, to);
  });
  return xmp;
}

}  // namespace media
