#include "WebM.hpp"

#include <unistd.h>

#include <algorithm>

namespace media {

#if LIBAVFORMAT_VERSION_MAJOR >= 61
int WebM::append(void* file, const uint8_t* bytes, int count) {
#else
int WebM::append(void* file, uint8_t* bytes, int count) {
#endif
  auto* self = static_cast<WebM*>(file);
  auto length = static_cast<size_t>(count);
  if (self->position_ < 0 || static_cast<uint64_t>(self->position_) + length > sizeLimitBytes) return AVERROR(ENOSPC);
  if (lseek(self->descriptor_, self->position_, SEEK_SET) < 0) return AVERROR(EIO);
  for (size_t done = 0; done < length;) {
    ssize_t n = ::write(self->descriptor_, bytes + done, length - done);
    if (n <= 0) return AVERROR(EIO);
    done += static_cast<size_t>(n);
  }
  self->position_ += count;
  self->size_ = std::max(self->size_, static_cast<uint64_t>(self->position_));
  return count;
}

int64_t WebM::seek(void* file, int64_t offset, int whence) {
  auto* self = static_cast<WebM*>(file);
  auto size = static_cast<int64_t>(self->size_);
  if (whence & AVSEEK_SIZE) return size;
  int64_t base = (whence & 3) == SEEK_CUR ? self->position_ : (whence & 3) == SEEK_END ? size : 0;
  if (base + offset < 0) return AVERROR(EINVAL);
  return self->position_ = base + offset;
}

WebM::WebM(int descriptor) : descriptor_(descriptor), packet_(av_packet_alloc()) {
  constexpr int bufferBytes = 64 * 1024;
  if (avformat_alloc_output_context2(&context_, nullptr, "webm", nullptr) < 0) { context_ = nullptr; return; }
  auto* buffer = static_cast<unsigned char*>(av_malloc(bufferBytes));
  if (buffer) io_ = avio_alloc_context(buffer, bufferBytes, 1, this, nullptr, append, seek);
  if (!io_) { av_free(buffer); avformat_free_context(context_); context_ = nullptr; return; }
  context_->pb = io_;
  // No version, no time, no random number: the same video gives the same bytes.
  context_->flags |= AVFMT_FLAG_BITEXACT;
}

WebM::~WebM() {
  if (context_) avformat_free_context(context_);
  if (io_) av_freep(&io_->buffer);
  avio_context_free(&io_);
}

AVStream* WebM::add(const AVCodecContext* encoder) {
  AVStream* stream = context_ ? avformat_new_stream(context_, nullptr) : nullptr;
  if (!stream || avcodec_parameters_from_context(stream->codecpar, encoder) < 0) return nullptr;
  stream->time_base = encoder->time_base;
  return stream;
}

bool WebM::begin() { return context_ && packet_ && avformat_write_header(context_, nullptr) >= 0; }

bool WebM::write(AVCodecContext* encoder, AVStream* stream, const AVFrame* frame) {
  if (avcodec_send_frame(encoder, frame) < 0) return false;
  while (true) {
    int received = avcodec_receive_packet(encoder, packet_.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return true;
    if (received < 0) return false;
    av_packet_rescale_ts(packet_.get(), encoder->time_base, stream->time_base);
    packet_->stream_index = stream->index;
    if (av_interleaved_write_frame(context_, packet_.get()) < 0) return false;
  }
}

bool WebM::finish() {
  if (av_write_trailer(context_) < 0) return false;
  avio_flush(io_);
  return io_->error >= 0;
}

}  // namespace media
