#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Answer.hpp"
#include "CaptureDate.hpp"
#include "Input.hpp"
#include "Sniff.hpp"

namespace media {

struct Facts {
  Format format;
  uint32_t width = 0, height = 0, codedWidth = 0, codedHeight = 0;
  uint8_t orientation = 1;
  std::optional<CaptureDate> date;
  DateSource dateSource = DateSource::original;
  OffsetSource offsetSource = OffsetSource::tag;
  std::optional<std::pair<double, double>> location;
  std::optional<double> altitude;
  std::string make, model, liveIdentifier, burstIdentifier, title, caption;
  /// See pictureDigest.
  std::string picture;
  /// The date and camera of the file itself, without a sidecar.
  std::optional<CaptureDate> ownDate;
  std::string ownCamera;
  std::vector<std::string> keywords;
  std::optional<int8_t> rating;
  std::optional<uint64_t> durationMilliseconds;
  std::optional<uint32_t> frameRate;
  uint32_t subtypes = 0, frames = 0;
  std::optional<std::pair<uint64_t, uint64_t>> motionPhoto;
  std::set<Problem> problems;

  void write(Answer& answer) const;
  /// Stores a position if both numbers are finite and on the globe. Software writes exactly 0, 0
  /// for "unknown", which is ignored.
  void setLocation(double latitude, double longitude);
};

/// Reads the file's facts. The sidecar's values win, except for orientation, which belongs to the
/// pixels.
Facts readFacts(Input& input, Input* sidecar);

void readImageFacts(Input& input, Facts& facts);
/// Reads an XMP document by itself: a video's sidecar, or a sidecar as the input.
void readSidecarFacts(Input& sidecar, Facts& facts);

}  // namespace media
