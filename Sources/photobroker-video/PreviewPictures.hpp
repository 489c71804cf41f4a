#pragma once

#include "Decoding.hpp"
#include "Preview.hpp"
#include "Protocol.hpp"
#include "WebM.hpp"

namespace media {

/// The picture track of a preview: makes frames upright, small, and evenly spaced.
class PreviewPictures {
 public:
  /// Returns false if the track cannot be decoded, or if VP8 cannot be encoded here.
  bool open(const Movie& movie, WebM& file, const PreviewRequest& request, Problem& problem);
  int source() const { return source_->index; }
  bool takePacket(const AVPacket* packet);
  /// Whether all wanted frames have been read. Frames arrive out of display order, so one more
  /// second is read.
  bool isPast(const AVPacket* packet) const;
  bool finish();
  /// The time of the latest frame in seconds; negative before the first.
  double reached() const { return next_ == 0 ? -1 : static_cast<double>(next_) * rate_.den / rate_.num; }
  uint32_t width() const { return static_cast<uint32_t>(encoder_->width); }
  uint32_t height() const { return static_cast<uint32_t>(encoder_->height); }

 private:
  bool openEncoder(uint32_t width, uint32_t height, bool needsGlobalHeader);
  bool takeFrame();
  bool isScaled();
  void turn();

  const AVStream* source_ = nullptr;
  AVStream* target_ = nullptr;
  WebM* file_ = nullptr;
  double begin_ = 0;
  double limitSeconds_ = 0;
  AVRational rate_ = {25, 1};
  int64_t next_ = 0;
  uint8_t orientation_ = 1;
  Codec decoder_, encoder_;
  Picture decoded_, scaled_, upright_;
  Scaler scaler_;
};

}  // namespace media
