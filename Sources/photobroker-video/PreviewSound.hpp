#pragma once

extern "C" {
#include <libavutil/audio_fifo.h>
#include <libswresample/swresample.h>
}

#include "Decoding.hpp"
#include "Preview.hpp"
#include "WebM.hpp"

namespace media {

struct FreeResampler { void operator()(SwrContext* s) const { swr_free(&s); } };
struct FreeQueue { void operator()(AVAudioFifo* q) const { av_audio_fifo_free(q); } };

class PreviewSound {
 public:
  /// Returns false without a usable sound track; the preview is then silent.
  bool open(const Movie& movie, WebM& file, const PreviewRequest& request);
  int source() const { return source_->index; }
  bool takePacket(const AVPacket* packet);
  bool finish();

 private:
  bool openEncoder(bool needsGlobalHeader);
  bool takeFrame();
  bool encode(bool isLast);

  const AVStream* source_ = nullptr;
  AVStream* target_ = nullptr;
  WebM* file_ = nullptr;
  double begin_ = 0;
  double limitSeconds_ = 0;
  bool hasBegun_ = false;
  int64_t next_ = 0;
  Codec decoder_, encoder_;
  Picture decoded_;
  std::unique_ptr<SwrContext, FreeResampler> resampler_;
  std::unique_ptr<AVAudioFifo, FreeQueue> queue_;
};

}  // namespace media
