#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "Protocol.hpp"

namespace media {

/// The smallest part of a date that is known.
enum class Precision { year, month, day, second };

/// A date as a camera writes it: a local time, perhaps with its UTC offset. Unknown parts are those
/// of the first instant.
struct CaptureDate {
  uint16_t year = 0;
  uint8_t month = 0, day = 0, hour = 0, minute = 0, second = 0;
  uint32_t microsecond = 0;
  std::optional<int16_t> offsetMinutes;
  Precision precision = Precision::second;

  bool isPartial() const { return precision < Precision::day; }
  /// Whether `other` lies in the year, month or day of this less precise date.
  bool covers(const CaptureDate& other) const;
  /// Whether `other` is the same date with more of its parts.
  bool isRefinedBy(const CaptureDate& other) const { return precision < other.precision && covers(other); }
};

/// Parses a date of cameras or XMP: `2024:04:13 20:38:00`, with `/`, `-`, `.` or `T` as separators.
/// Seconds may be missing; a fraction, AM or PM, `Z` or `+02:00` may follow. The year comes first,
/// because day-first dates are ambiguous. A year or month alone is a date if all that follows is
/// missing, blank or zero. Nothing for zeros, blanks and impossible fields.
std::optional<CaptureDate> parseDate(const std::string& text);

/// Parses a date of mail, `Tue, 01 Feb 2011 12:34:56 +0100`, perhaps with a zone's name in place of
/// the offset.
std::optional<CaptureDate> parseMailDate(const std::string& text);

/// Parses `+02:00`, `-0330` or `Z` as minutes, within -12:00 and +14:00.
std::optional<int16_t> parseOffset(const std::string& text);

/// Digits after the decimal point of a second, as microseconds.
uint32_t parseFraction(const std::string& digits);

/// The UTC offset of a local time, from the GPS time. Accepts differences within three minutes of
/// an offset in use somewhere; a stale GPS fix gives another one. Nothing for a day without a time.
std::optional<int16_t> derivedOffset(const CaptureDate& local, const CaptureDate& utc);

/// Seconds since 1970, as if the fields were UTC.
int64_t secondsSince1970(const CaptureDate& date);
CaptureDate dateFrom(int64_t secondsSince1970);

}  // namespace media
