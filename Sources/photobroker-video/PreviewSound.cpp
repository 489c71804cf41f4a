#include "PreviewSound.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace media {

namespace {

constexpr int rate = 48'000;
constexpr int channels = 2;

}  // namespace

bool PreviewSound::open(const Movie& movie, WebM& file, const PreviewRequest& request) {
  source_ = movie.sound();
  if (!source_ || source_->codecpar->ch_layout.nb_channels < 1 || source_->codecpar->ch_layout.nb_channels > 16)
    return false;
  decoder_ = openDecoder(source_, 1);
  if (!decoder_ || decoder_->sample_rate < 4'000 || decoder_->sample_rate > 400'000 ||
      !openEncoder(file.needsGlobalHeader()))
    return false;
  decoded_.reset(av_frame_alloc());
  queue_.reset(av_audio_fifo_alloc(encoder_->sample_fmt, channels, rate));
  if (!decoded_ || !queue_) return false;
  const AVFormatContext* context = movie.context();
  begin_ = context->start_time == AV_NOPTS_VALUE ? 0 : static_cast<double>(context->start_time) / AV_TIME_BASE;
  file_ = &file;
  limitSeconds_ = request.seconds;
  target_ = file.add(encoder_.get());
  return target_ != nullptr;
}

bool PreviewSound::openEncoder(bool needsGlobalHeader) {
  const AVCodec* codec = avcodec_find_encoder_by_name("libopus");
  encoder_.reset(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!encoder_) return false;
  encoder_->sample_fmt = AV_SAMPLE_FMT_FLT;
  encoder_->sample_rate = rate;
  encoder_->time_base = {1, rate};
  encoder_->bit_rate = 64'000;
  av_channel_layout_default(&encoder_->ch_layout, channels);
  encoder_->flags |= AV_CODEC_FLAG_BITEXACT;
  if (needsGlobalHeader) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  return avcodec_open2(encoder_.get(), codec, nullptr) >= 0 && encoder_->frame_size > 0;
}

bool PreviewSound::takePacket(const AVPacket* packet) {
  if (avcodec_send_packet(decoder_.get(), packet) < 0) return true;
  while (avcodec_receive_frame(decoder_.get(), decoded_.get()) == 0) {
    if (!takeFrame()) return false;
  }
  return true;
}

bool PreviewSound::takeFrame() {
  AVFrame* frame = decoded_.get();
  if (frame->nb_samples <= 0 || static_cast<double>(next_ + av_audio_fifo_size(queue_.get())) / rate >= limitSeconds_)
    return true;
  if (!hasBegun_) {
    hasBegun_ = true;
    double seconds = frame->best_effort_timestamp == AV_NOPTS_VALUE
                         ? 0 : static_cast<double>(frame->best_effort_timestamp) * av_q2d(source_->time_base) - begin_;
    if (std::isfinite(seconds)) next_ = std::llround(std::clamp(seconds, 0.0, limitSeconds_) * rate);
  }
  if (!resampler_) {
    SwrContext* made = nullptr;
    if (swr_alloc_set_opts2(&made, &encoder_->ch_layout, encoder_->sample_fmt, rate, &frame->ch_layout,
                            static_cast<AVSampleFormat>(frame->format), frame->sample_rate, 0, nullptr) < 0)
      return false;
    resampler_.reset(made);
    if (swr_init(made) < 0) return false;
  }
  int room = swr_get_out_samples(resampler_.get(), frame->nb_samples);
  if (room <= 0 || room > 10 * rate) return true;
  std::vector<float> samples(static_cast<size_t>(room) * channels);
  auto* plane = reinterpret_cast<uint8_t*>(samples.data());
  int got =
      swr_convert(resampler_.get(), &plane, room, const_cast<const uint8_t**>(frame->extended_data), frame->nb_samples);
  void* planes[] = {plane};
  if (got > 0 && av_audio_fifo_write(queue_.get(), planes, got) < got) return false;
  return encode(false);
}

bool PreviewSound::encode(bool isLast) {
  while (av_audio_fifo_size(queue_.get()) >= (isLast ? 1 : encoder_->frame_size)) {
    Picture frame(av_frame_alloc());
    if (!frame) return false;
    frame->nb_samples = std::min(encoder_->frame_size, av_audio_fifo_size(queue_.get()));
    frame->format = encoder_->sample_fmt;
    frame->sample_rate = rate;
    av_channel_layout_copy(&frame->ch_layout, &encoder_->ch_layout);
    if (av_frame_get_buffer(frame.get(), 0) < 0) return false;
    if (av_audio_fifo_read(queue_.get(), reinterpret_cast<void**>(frame->data), frame->nb_samples) < frame->nb_samples)
      return false;
    frame->pts = next_;
    next_ += frame->nb_samples;
    if (!file_->write(encoder_.get(), target_, frame.get())) return false;
  }
  return true;
}

bool PreviewSound::finish() { return encode(true) && file_->write(encoder_.get(), target_, nullptr); }

}  // namespace media
