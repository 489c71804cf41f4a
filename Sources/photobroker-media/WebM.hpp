#pragma once

extern "C" {
#include <libavformat/avformat.h>
}

#include "Decoding.hpp"

namespace media {

/// A WebM file that is written to a descriptor: pictures, sound, and nothing else that came from anywhere.
class WebM {
 public:
  explicit WebM(int descriptor);
  ~WebM();
  WebM(const WebM&) = delete;
  WebM& operator=(const WebM&) = delete;

  /// What encoders for this file must be told.
  bool needsGlobalHeader() const { return context_ && context_->oformat->flags & AVFMT_GLOBALHEADER; }
  /// Adds a track; null where that fails. All are added before `begin`.
  AVStream* add(const AVCodecContext* encoder);
  bool begin();
  /// Encodes a frame, or, with null, what the encoder still holds, and writes what comes of it.
  bool write(AVCodecContext* encoder, AVStream* stream, const AVFrame* frame);
  bool finish();
  uint64_t size() const { return size_; }

  /// A minute of pictures and sound has about six million bytes.
  static constexpr uint64_t sizeLimitBytes = 24 << 20;

 private:
#if LIBAVFORMAT_VERSION_MAJOR >= 61
  static int append(void* file, const uint8_t* bytes, int count);
#else
  static int append(void* file, uint8_t* bytes, int count);
#endif
  static int64_t seek(void* file, int64_t offset, int whence);

  int descriptor_;
  uint64_t size_ = 0;
  int64_t position_ = 0;
  AVFormatContext* context_ = nullptr;
  AVIOContext* io_ = nullptr;
  Packet packet_;
};

}  // namespace media
