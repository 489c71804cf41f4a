#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "Protocol.hpp"

namespace media {

/// A date as a camera writes it: fields of a local clock, perhaps with its offset.
struct CaptureDate {
  uint16_t year = 0;
  uint8_t month = 0, day = 0, hour = 0, minute = 0, second = 0;
  uint32_t microsecond = 0;
  std::optional<int16_t> offsetMinutes;
};

/// Reads what cameras and XMP write: `2024:04:13 20:38:00`, with `/`, `-`, `.` or `T` as separators, without seconds,
/// with a fraction, with `Z` or `+02:00`. Year first only: day-first dates are ambiguous. Nothing for zeros, blanks and
/// impossible fields.
std::optional<CaptureDate> parseDate(const std::string& text);

/// `+02:00`, `-0330`, `Z` in minutes, within -12:00 and +14:00.
std::optional<int16_t> parseOffset(const std::string& text);

/// Digits after the decimal point of a second, as microseconds.
uint32_t parseFraction(const std::string& digits);

/// The offset of a local clock against the satellite's, when the difference is within three minutes of an offset that
/// is in use somewhere. A stale position fix gives a difference that is not.
std::optional<int16_t> derivedOffset(const CaptureDate& local, const CaptureDate& utc);

/// Seconds since 1970 as if the fields were UTC.
int64_t secondsSince1970(const CaptureDate& date);
CaptureDate dateFrom(int64_t secondsSince1970);

}  // namespace media
