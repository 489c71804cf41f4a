#include "Movie.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <algorithm>
#include <cmath>
#include <string>

#include "Orientation.hpp"
#include "Protocol.hpp"

namespace media {

int Movie::read(void* movie, uint8_t* buffer, int count) {
  auto* self = static_cast<Movie*>(movie);
  auto at = static_cast<uint64_t>(self->position_);
  size_t there = self->input_.available(at, static_cast<size_t>(count));
  // A read of missing bytes makes the input record their range, so that the broker sends it.
  size_t got = self->input_.read(at, buffer, there > 0 ? there : static_cast<size_t>(count));
  self->position_ += static_cast<int64_t>(got);
  return got == 0 ? AVERROR_EOF : static_cast<int>(got);
}

int64_t Movie::seek(void* movie, int64_t offset, int whence) {
  auto* self = static_cast<Movie*>(movie);
  auto size = static_cast<int64_t>(self->input_.size());
  if (whence & AVSEEK_SIZE) return size;
  int64_t base = (whence & 3) == SEEK_CUR ? self->position_ : (whence & 3) == SEEK_END ? size : 0;
  int64_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) || target < 0) return AVERROR(EINVAL);
  return self->position_ = target;
}

Movie::Movie(const Input& input, bool hasSound) : input_(input) {
  constexpr int bufferBytes = 64 * 1024;
  context_ = avformat_alloc_context();
  auto* buffer = static_cast<unsigned char*>(av_malloc(bufferBytes));
  if (context_ && buffer) io_ = avio_alloc_context(buffer, bufferBytes, 0, this, read, nullptr, seek);
  if (!io_) {
    av_free(buffer);
    avformat_free_context(context_);
    context_ = nullptr;
    return;
  }
  context_->pb = io_;
  context_->format_whitelist = av_strdup(formats);
  context_->codec_whitelist = av_strdup(hasSound ? (std::string(codecs) + "," + soundCodecs).c_str() : codecs);
  context_->protocol_whitelist = av_strdup("none");
  context_->max_streams = 32;
  context_->probesize = 4 << 20;
  context_->max_analyze_duration = 2 * AV_TIME_BASE;
  // A failed open frees the context itself.
  if (avformat_open_input(&context_, nullptr, nullptr, nullptr) < 0) { context_ = nullptr; return; }
  for (unsigned i = 0; i < context_->nb_streams; ++i) {
    AVMediaType type = context_->streams[i]->codecpar->codec_type;
    bool isWanted = type == AVMEDIA_TYPE_VIDEO || (hasSound && type == AVMEDIA_TYPE_AUDIO);
    if (!isWanted) context_->streams[i]->discard = AVDISCARD_ALL;
  }
  avformat_find_stream_info(context_, nullptr);
}

Movie::~Movie() {
  if (context_) avformat_close_input(&context_);
  if (io_) av_freep(&io_->buffer);
  avio_context_free(&io_);
}

AVStream* Movie::video() const {
  // libavformat's own choice may be the alpha channel of an animated AVIF. The default track comes
  // first.
  for (unsigned i = 0; context_ && i < context_->nb_streams; ++i) {
    AVStream* stream = context_->streams[i];
    bool isPicture =
        stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !(stream->disposition & AV_DISPOSITION_ATTACHED_PIC);
    if (isPicture && stream->disposition & AV_DISPOSITION_DEFAULT) return stream;
  }
  int index = context_ ? av_find_best_stream(context_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0) : -1;
  // A cover is no film.
  bool isFilm = index >= 0 && !(context_->streams[index]->disposition & AV_DISPOSITION_ATTACHED_PIC);
  return isFilm ? context_->streams[index] : nullptr;
}

AVStream* Movie::sound() const {
  AVStream* picture = video();
  int index = picture ? av_find_best_stream(context_, AVMEDIA_TYPE_AUDIO, -1, picture->index, nullptr, 0) : -1;
  return index < 0 ? nullptr : context_->streams[index];
}

uint8_t Movie::orientation() const {
  AVStream* stream = video();
  if (!stream) return 1;
  size_t size = 0;
  const auto* matrix =
      reinterpret_cast<const int32_t*>(av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size));
  if (!matrix || size < 9 * sizeof(int32_t)) return 1;
  // The rows are the screen directions of the picture's right and down, with y growing downwards.
  double a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  bool mirrored = a * d - b * c < 0;
  if (mirrored) { a = -a; b = -b; }
  auto quarters = static_cast<int>(std::lround(std::atan2(b, a) / (M_PI / 2)));
  return orientationOf({mirrored, static_cast<uint8_t>(quarters & 3)});
}

void Movie::displaySize(uint32_t& width, uint32_t& height) const {
  AVStream* stream = video();
  width = height = 0;
  if (!stream || stream->codecpar->width <= 0 || stream->codecpar->height <= 0) return;
  width = static_cast<uint32_t>(stream->codecpar->width);
  height = static_cast<uint32_t>(stream->codecpar->height);
  AVRational shape =
      stream->sample_aspect_ratio.num > 0 ? stream->sample_aspect_ratio : stream->codecpar->sample_aspect_ratio;
  if (shape.num > 0 && shape.den > 0) {
    double ratio = static_cast<double>(shape.num) / shape.den;
    if (ratio > 0.2 && ratio < 5) width = std::max(1u, static_cast<uint32_t>(std::lround(width * ratio)));
  }
  if (isSideways(orientation())) std::swap(width, height);
}

}  // namespace media
