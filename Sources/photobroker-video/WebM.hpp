#pragma once

extern "C" {
#include <libavformat/avformat.h>
}

#include "Decoding.hpp"

namespace media {

/// Writes a WebM file with pictures and sound to a descriptor, without metadata.
class WebM {
 public:
  explicit WebM(int descriptor);
  ~WebM();
  WebM(const WebM&) = delete;
  WebM& operator=(const WebM&) = delete;

  /// Whether encoders must write a global header.
  bool needsGlobalHeader() const { return context_ && context_->oformat->flags & AVFMT_GLOBALHEADER; }
  /// Adds a track, before `begin`; null on failure.
  AVStream* add(const AVCodecContext* encoder);
  bool begin();
  /// Encodes a frame and writes the resulting packets; null flushes the encoder.
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
