#include "PreviewPictures.hpp"

#include <algorithm>
#include <cmath>

#include "Orientation.hpp"

namespace media {

namespace {

constexpr int fastestRate = 30;

/// Scales down to the edge, never up. Both sides are even, as halved colour planes require.
void fit(uint32_t& width, uint32_t& height, uint16_t edge) {
  double scale = std::min(1.0, static_cast<double>(edge) / std::max(width, height));
  auto even = [&](uint32_t side) { return std::max(2u, static_cast<uint32_t>(std::lround(side * scale / 2)) * 2); };
  width = even(width);
  height = even(height);
}

Picture blank(int width, int height) {
  Picture picture(av_frame_alloc());
  if (!picture) return nullptr;
  picture->format = AV_PIX_FMT_YUV420P;
  picture->width = width;
  picture->height = height;
  // swscale writes whole vectors, so rows need padding.
  if (av_frame_get_buffer(picture.get(), 64) < 0) return nullptr;
  return picture;
}

void turnPlane(const uint8_t* from, int fromStride, int fromWidth, int fromHeight, uint8_t* to, int toStride,
               Turn turn) {
  for (int y = 0; y < fromHeight; ++y) {
    for (int x = 0; x < fromWidth; ++x) {
      int mirrored = turn.mirrored ? fromWidth - 1 - x : x;
      int column = mirrored, row = y;
      if (turn.quarters == 1) { column = fromHeight - 1 - y; row = mirrored; }
      else if (turn.quarters == 2) { column = fromWidth - 1 - mirrored; row = fromHeight - 1 - y; }
      else if (turn.quarters == 3) { column = y; row = fromWidth - 1 - mirrored; }
      to[row * toStride + column] = from[y * fromStride + x];
    }
  }
}

}  // namespace

bool PreviewPictures::open(const Movie& movie, WebM& file, const PreviewRequest& request, Problem& problem) {
  source_ = movie.video();
  if (!source_) return false;
  uint32_t width = 0, height = 0;
  movie.displaySize(width, height);
  problem = Problem::tooLarge;
  if (static_cast<uint64_t>(width) * height > framePixelLimit || width == 0 || height == 0) return false;
  problem = Problem::unsupported;
  decoder_ = openDecoder(source_, 2);
  if (!decoder_) return false;
  // The filters' smoothing is invisible at this size.
  decoder_->skip_loop_filter = AVDISCARD_NONREF;
  decoder_->flags2 |= AV_CODEC_FLAG2_FAST;
  orientation_ = movie.orientation();
  fit(width, height, request.pixels);
  AVRational rate = source_->avg_frame_rate;
  double perSecond = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 25;
  if (perSecond > 1.5 * fastestRate) decoder_->skip_frame = AVDISCARD_NONREF;
  rate_ = {static_cast<int>(std::clamp(std::lround(perSecond), 5l, static_cast<long>(fastestRate))), 1};
  problem = Problem::noEncoder;
  if (!openEncoder(width, height, file.needsGlobalHeader())) return false;
  target_ = file.add(encoder_.get());
  file_ = &file;
  limitSeconds_ = request.seconds;
  problem = Problem::unreadable;
  bool isSideways = media::isSideways(orientation_);
  scaled_ = isSideways ? blank(encoder_->height, encoder_->width) : blank(encoder_->width, encoder_->height);
  upright_ = blank(encoder_->width, encoder_->height);
  decoded_.reset(av_frame_alloc());
  const AVFormatContext* context = movie.context();
  begin_ = context->start_time == AV_NOPTS_VALUE ? 0 : static_cast<double>(context->start_time) / AV_TIME_BASE;
  return target_ && scaled_ && upright_ && decoded_;
}

bool PreviewPictures::openEncoder(uint32_t width, uint32_t height, bool needsGlobalHeader) {
  const AVCodec* codec = avcodec_find_encoder_by_name("libvpx");
  encoder_.reset(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!encoder_) return false;
  encoder_->width = static_cast<int>(width);
  encoder_->height = static_cast<int>(height);
  encoder_->pix_fmt = AV_PIX_FMT_YUV420P;
  encoder_->time_base = av_inv_q(rate_);
  encoder_->framerate = rate_;
  encoder_->gop_size = 2 * rate_.num;
  encoder_->thread_count = 1;
  // 800 kbit/s for 640 x 360, less for less.
  encoder_->bit_rate = std::max<int64_t>(100'000, static_cast<int64_t>(width) * height * 800'000 / (640 * 360));
  encoder_->rc_max_rate = encoder_->bit_rate * 3 / 2;
  encoder_->rc_buffer_size = static_cast<int>(encoder_->bit_rate * 2);
  encoder_->qmin = 4;
  encoder_->qmax = 56;
  encoder_->flags |= AV_CODEC_FLAG_BITEXACT;
  if (needsGlobalHeader) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  AVDictionary* options = nullptr;
  av_dict_set(&options, "deadline", "realtime", 0);
  av_dict_set(&options, "cpu-used", "6", 0);
  av_dict_set(&options, "lag-in-frames", "0", 0);
  int opened = avcodec_open2(encoder_.get(), codec, &options);
  av_dict_free(&options);
  return opened >= 0;
}

bool PreviewPictures::takePacket(const AVPacket* packet) {
  // A damaged packet costs its own frames only.
  if (avcodec_send_packet(decoder_.get(), packet) < 0) return true;
  while (avcodec_receive_frame(decoder_.get(), decoded_.get()) == 0) {
    if (!takeFrame()) return false;
  }
  return true;
}

bool PreviewPictures::isPast(const AVPacket* packet) const {
  return packet->dts != AV_NOPTS_VALUE &&
         static_cast<double>(packet->dts) * av_q2d(source_->time_base) - begin_ > limitSeconds_ + 1;
}

bool PreviewPictures::takeFrame() {
  double seconds = next_ == 0 ? 0 : reached();
  if (decoded_->best_effort_timestamp != AV_NOPTS_VALUE) {
    seconds = static_cast<double>(decoded_->best_effort_timestamp) * av_q2d(source_->time_base) - begin_;
  }
  if (!std::isfinite(seconds) || seconds >= limitSeconds_) return true;
  int64_t at = std::max<int64_t>(0, std::llround(seconds * rate_.num / rate_.den));
  if (next_ == 0) at = 0;
  // A jump of the clock must not make the film hours long.
  if (at < next_ || !isScaled()) return true;
  turn();
  AVFrame* frame = orientation_ == 1 ? scaled_.get() : upright_.get();
  frame->pts = at;
  frame->pict_type = AV_PICTURE_TYPE_NONE;
  next_ = at + 1;
  return file_->write(encoder_.get(), target_, frame);
}

bool PreviewPictures::isScaled() {
  const AVFrame* from = decoded_.get();
  if (from->width <= 0 || from->height <= 0 ||
      static_cast<uint64_t>(from->width) * static_cast<uint64_t>(from->height) > framePixelLimit)
    return false;
  // The encoder may still hold the previous frame.
  if (av_frame_make_writable(scaled_.get()) < 0) return false;
  scaler_.reset(sws_getCachedContext(scaler_.release(), from->width, from->height,
                                     static_cast<AVPixelFormat>(from->format), scaled_->width, scaled_->height,
                                     AV_PIX_FMT_YUV420P, SWS_BILINEAR, nullptr, nullptr, nullptr));
  if (!scaler_) return false;
  const int* matrix = sws_getCoefficients(SWS_CS_ITU601);
  sws_setColorspaceDetails(scaler_.get(), matrix, from->color_range == AVCOL_RANGE_JPEG, matrix, 0, 0, 1 << 16,
                           1 << 16);
  return sws_scale(scaler_.get(), from->data, from->linesize, 0, from->height, scaled_->data, scaled_->linesize) > 0;
}

void PreviewPictures::turn() {
  if (orientation_ == 1 || av_frame_make_writable(upright_.get()) < 0) return;
  Turn turn = turnOf(orientation_);
  for (int plane = 0; plane < 3; ++plane) {
    int halved = plane == 0 ? 0 : 1;
    turnPlane(scaled_->data[plane], scaled_->linesize[plane], scaled_->width >> halved, scaled_->height >> halved,
              upright_->data[plane], upright_->linesize[plane], turn);
  }
}

bool PreviewPictures::finish() {
  takePacket(nullptr);
  return file_->write(encoder_.get(), target_, nullptr);
}

}  // namespace media
