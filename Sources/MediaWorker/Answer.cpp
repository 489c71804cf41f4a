#include "Answer.hpp"

namespace media {

namespace {

/// The length of the well-formed UTF-8 sequence at `i`, or 0.
size_t sequenceLength(const std::string& s, size_t i) {
  auto at = [&](size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0; };
  unsigned first = at(i);
  if (first < 0x80) return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4) return 0;
  uint32_t value = first & (0x7f >> length);
  for (size_t k = 1; k < length; ++k) {
    if ((at(i + k) & 0xc0) != 0x80) return 0;
    value = value << 6 | (at(i + k) & 0x3f);
  }
  if ((length == 3 && value < 0x800) || (length == 4 && (value < 0x10000 || value > 0x10ffff))) return 0;
  return value >= 0xd800 && value <= 0xdfff ? 0 : length;
}

bool isWellFormed(const std::string& s) {
  for (size_t i = 0; i < s.size();) {
    size_t length = sequenceLength(s, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace

std::string cleaned(const std::string& value, size_t limit) {
  std::string utf8;
  if (isWellFormed(value)) {
    utf8 = value;
  } else {
    // Old cameras and IPTC writers used Latin-1; every byte string is valid Latin-1.
    for (unsigned char c : value) {
      if (c < 0x80) utf8.push_back(static_cast<char>(c));
      else { utf8.push_back(static_cast<char>(0xc0 | c >> 6)); utf8.push_back(static_cast<char>(0x80 | (c & 0x3f))); }
    }
  }
  std::string out;
  for (size_t i = 0; i < utf8.size();) {
    size_t length = sequenceLength(utf8, i);
    unsigned char first = utf8[i];
    bool c1 = length == 2 && first == 0xc2 && static_cast<unsigned char>(utf8[i + 1]) < 0xa0;
    if (first == 0) break;  // EXIF text is padded with NULs, sometimes with rubbish behind the first
    if (first == '\n' || first == '\t' || first == '\r') out.push_back(' ');
    else if (first >= 0x20 && first != 0x7f && !c1) {
      if (out.size() + length > limit) break;
      out.append(utf8, i, length);
    }
    i += length;
  }
  size_t start = out.find_first_not_of(' ');
  if (start == std::string::npos) return {};
  out = out.substr(start, out.find_last_not_of(' ') - start + 1);
  return out.size() <= limit ? out : std::string();
}

void Answer::line(const char* name, const std::string& value) {
  constexpr size_t firstLinesBytes = 64;
  std::string all = std::string(name) + " " + value + "\n";
  if (firstLinesBytes + lines_.size() + all.size() <= maximumAnswerBytes) lines_ += all;
}

void Answer::text(const char* name, const std::string& value, size_t limit) {
  std::string clean = cleaned(value, limit);
  if (!clean.empty()) line(name, clean);
}

void Answer::problem(Problem problem) {
  static constexpr const char* names[] = {"unreadable",       "truncated",       "too-large", "unsupported",
                                          "metadata-damaged", "sidecar-damaged", "no-encoder"};
  line("problem", names[static_cast<size_t>(problem)]);
}

std::string Answer::message() const {
  static constexpr const char* names[] = {"ok ", "refused ", "bad ", "video "};
  std::string out = names[static_cast<size_t>(status_)] + std::to_string(sequence_) + "\n";
  if (last_) out += "last\n";
  out += lines_;
  out.push_back('\0');
  return out;
}

}  // namespace media
