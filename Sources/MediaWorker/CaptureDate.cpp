#include "CaptureDate.hpp"

#include <strings.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace media {

namespace {

bool digit(const std::string& s, size_t i) { return i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])); }

/// One to `most` digits at `i`, or -1.
int number(const std::string& s, size_t& i, size_t most) {
  if (!digit(s, i)) return -1;
  int value = 0;
  for (size_t n = 0; n < most && digit(s, i); ++n) value = value * 10 + (s[i++] - '0');
  return value;
}

bool separator(const std::string& s, size_t& i, const char* allowed) {
  if (i >= s.size() || s[i] == '\0') return false;
  for (const char* c = allowed; *c; ++c) {
    if (s[i] == *c) return ++i, true;
  }
  return false;
}

int daysIn(int year, int month) {
  static constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

}  // namespace

uint32_t parseFraction(const std::string& digits) {
  uint32_t value = 0, scale = 100'000;
  for (size_t i = 0; digit(digits, i) && scale > 0; ++i, scale /= 10)
    value += static_cast<uint32_t>(digits[i] - '0') * scale;
  return value;
}

std::optional<int16_t> parseOffset(const std::string& text) {
  size_t i = text.find_first_not_of(' ');
  if (i == std::string::npos) return {};
  if (text[i] == 'Z') return 0;
  if (text[i] != '+' && text[i] != '-') return {};
  int sign = text[i++] == '-' ? -1 : 1;
  int hours = number(text, i, 2);
  separator(text, i, ":");
  int minutes = number(text, i, 2);
  if (hours < 0) return {};
  if (minutes < 0) minutes = 0;
  int total = sign * (hours * 60 + minutes);
  if (minutes > 59 || total < -12 * 60 || total > 14 * 60) return {};
  return static_cast<int16_t>(total);
}

bool CaptureDate::covers(const CaptureDate& other) const {
  return precision < Precision::second && precision <= other.precision && year == other.year &&
         (precision < Precision::month || month == other.month) && (precision < Precision::day || day == other.day);
}

std::optional<CaptureDate> parseDate(const std::string& text) {
  // Some cameras pad with spaces, and with zeros where a part is unknown.
  auto skipSpaces = [&](size_t& i) {
    while (separator(text, i, " ")) {}
  };
  auto isBlank = [&](size_t i) {
    return !digit(text, i) && text.find_first_not_of(std::string_view(" 0:/-.TZ+?\0", 11), i) == std::string::npos;
  };
  size_t i = text.find_first_not_of(' ');
  if (i == std::string::npos) return {};
  size_t start = i;
  int year = number(text, i, 4);
  if (i - start != 4 || year == 0) return {};
  CaptureDate date;
  date.year = static_cast<uint16_t>(year);
  date.month = date.day = 1;
  date.precision = Precision::year;
  if (isBlank(i)) return date;
  if (!separator(text, i, ":/-.")) return {};
  skipSpaces(i);
  int month = number(text, i, 2);
  if (month < 1 || month > 12) return {};
  date.month = static_cast<uint8_t>(month);
  date.precision = Precision::month;
  if (isBlank(i)) return date;
  if (!separator(text, i, ":/-.")) return {};
  skipSpaces(i);
  int day = number(text, i, 2);
  if (day < 1 || day > daysIn(year, month)) return {};
  date.day = static_cast<uint8_t>(day);
  date.precision = Precision::day;
  if (!separator(text, i, " T:/")) return date;  // XMP allows a day without a time
  skipSpaces(i);
  int hour = number(text, i, 2);
  if (hour < 0) return date;
  date.precision = Precision::second;
  if (!separator(text, i, ":.")) return {};
  int minute = number(text, i, 2), second = 0;
  if (separator(text, i, ":.")) second = number(text, i, 2);
  if (hour > 23 || minute < 0 || minute > 59 || second > 60) return {};
  date.hour = static_cast<uint8_t>(hour);
  date.minute = static_cast<uint8_t>(minute);
  date.second = static_cast<uint8_t>(second < 0 ? 0 : second == 60 ? 59 : second);
  if (separator(text, i, ".")) {
    date.microsecond = parseFraction(text.substr(i));
    while (digit(text, i)) ++i;
  }
  skipSpaces(i);
  // A clock of twelve hours ends in AM or PM.
  if (i + 1 < text.size() && (text[i + 1] | 32) == 'm' && ((text[i] | 32) == 'a' || (text[i] | 32) == 'p')) {
    if (hour < 1 || hour > 12) return {};
    date.hour = static_cast<uint8_t>(hour % 12 + ((text[i] | 32) == 'p' ? 12 : 0));
    i += 2;
  }
  date.offsetMinutes = parseOffset(text.substr(i));
  return date;
}

std::optional<CaptureDate> parseMailDate(const std::string& text) {
  static constexpr const char* months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                           "jul", "aug", "sep", "oct", "nov", "dec"};
  struct Zone { const char* name; const char* offset; };
  static constexpr Zone zones[] = {{"GMT", "Z"},      {"UT", "Z"},        {"UTC", "Z"},      {"EST", "-05:00"},
                                   {"EDT", "-04:00"}, {"CST", "-06:00"},  {"CDT", "-05:00"}, {"MST", "-07:00"},
                                   {"MDT", "-06:00"}, {"PST", "-08:00"},  {"PDT", "-07:00"}};
  // A day of the week may precede.
  size_t start = text.find_first_of("0123456789");
  if (start == std::string::npos) return {};
  int day = 0, year = 0;
  char month[4] = "", time[9] = "", zone[7] = "";
  if (std::sscanf(text.c_str() + start, "%2d %3[A-Za-z] %4d %8[0-9:] %6s", &day,
                  month, &year, time, zone) < 4)
    return {};
  if (year < 100) year += year < 70 ? 2000 : 1900;
  for (int i = 0; i < 12; ++i) {
    if (strcasecmp(month, months[i]) != 0) continue;
    std::string offset = zone;
    for (Zone each : zones) {
      if (strcasecmp(zone, each.name) == 0) offset = each.offset;
    }
    char iso[40];
    std::snprintf(iso, sizeof iso, "%04d-%02d-%02d %s ", year, i + 1, day, time);
    return parseDate(iso + offset);
  }
  return {};
}

int64_t secondsSince1970(const CaptureDate& date) {
  // Days by the civil calendar. Years start in March, so that the leap day comes last.
  int64_t y = date.year - (date.month <= 2);
  int64_t era = y / 400, ofEra = y - era * 400;
  int64_t ofYear = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  int64_t days = era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468;
  return days * 86400 + date.hour * 3600 + date.minute * 60 + date.second;
}

CaptureDate dateFrom(int64_t seconds) {
  int64_t days = seconds / 86400, rest = seconds % 86400;
  if (rest < 0) { rest += 86400; --days; }
  days += 719468;
  int64_t era = (days >= 0 ? days : days - 146096) / 146097, ofEra = days - era * 146097;
  int64_t year = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365;
  int64_t ofYear = ofEra - (365 * year + year / 4 - year / 100), month = (5 * ofYear + 2) / 153;
  CaptureDate date;
  date.day = static_cast<uint8_t>(ofYear - (153 * month + 2) / 5 + 1);
  date.month = static_cast<uint8_t>(month < 10 ? month + 3 : month - 9);
  date.year = static_cast<uint16_t>(year + era * 400 + (date.month <= 2));
  date.hour = static_cast<uint8_t>(rest / 3600);
  date.minute = static_cast<uint8_t>(rest / 60 % 60);
  date.second = static_cast<uint8_t>(rest % 60);
  return date;
}

std::optional<int16_t> derivedOffset(const CaptureDate& local, const CaptureDate& utc) {
  if (local.precision < Precision::second) return {};
  int64_t difference = secondsSince1970(local) - secondsSince1970(utc);
  if (difference < -13 * 3600 || difference > 15 * 3600) return {};
  int64_t quarters = (difference + (difference < 0 ? -450 : 450)) / 900;
  if (std::llabs(difference - quarters * 900) > 180) return {};
  int64_t minutes = quarters * 15;
  static constexpr int odd[] = {-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825};
  bool known = minutes % 60 == 0 && minutes >= -720 && minutes <= 840;
  for (int value : odd) known = known || minutes == value;
  if (!known) return {};
  return static_cast<int16_t>(minutes);
}

}  // namespace media
