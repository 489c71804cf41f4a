#include <algorithm>

#include "Decoding.hpp"
#include "Orientation.hpp"
#include "Videos.hpp"

namespace media {

namespace {

/// Decodes one whole frame. Gives up after 2,000 packets, a long group of pictures.
bool decodeOne(const Movie& movie, AVStream* stream, AVCodecContext* decoder, AVFrame* frame) {
  constexpr int packetLimit = 2000;
  Packet packet(av_packet_alloc());
  if (!packet) return false;
  for (int i = 0; i < packetLimit; ++i) {
    int read = av_read_frame(movie.context(), packet.get());
    if (read >= 0 && packet->stream_index != stream->index) { av_packet_unref(packet.get()); continue; }
    avcodec_send_packet(decoder, read >= 0 ? packet.get() : nullptr);
    av_packet_unref(packet.get());
    if (avcodec_receive_frame(decoder, frame) == 0) return true;
    if (read < 0) return false;
  }
  return false;
}

bool convert(const AVFrame* source, uint32_t width, uint32_t height, Frame& frame) {
  Scaler scaler(sws_getContext(source->width, source->height, static_cast<AVPixelFormat>(source->format),
                               static_cast<int>(width), static_cast<int>(height), AV_PIX_FMT_RGB24,
                               SWS_BICUBIC | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
  if (!scaler) return false;
  bool highDefinition =
      source->colorspace == AVCOL_SPC_BT709 || (source->colorspace == AVCOL_SPC_UNSPECIFIED && source->height >= 720);
  const int* matrix = sws_getCoefficients(highDefinition ? SWS_CS_ITU709 : SWS_CS_ITU601);
  sws_setColorspaceDetails(scaler.get(), matrix, source->color_range == AVCOL_RANGE_JPEG, matrix, 1, 0, 1 << 16,
                           1 << 16);
  size_t stride = size_t{width} * 3;
  // swscale writes whole vectors, so rows need padding.
  size_t padded = (stride + 127) & ~size_t{63};
  std::string rows(padded * height + 64, '\0');
  uint8_t* planes[] = {reinterpret_cast<uint8_t*>(rows.data()), nullptr, nullptr, nullptr};
  int strides[] = {static_cast<int>(padded), 0, 0, 0};
  if (sws_scale(scaler.get(), source->data, source->linesize, 0, source->height, planes, strides) <= 0) return false;
  frame.pixels.resize(stride * height);
  for (size_t y = 0; y < height; ++y) std::copy_n(rows.data() + y * padded, stride, frame.pixels.data() + y * stride);
  frame.width = width;
  frame.height = height;
  return true;
}

}  // namespace

bool posterFrame(const Input& input, Frame& frame, Problem& problem) {
  problem = Problem::unreadable;
  Movie movie(input);
  AVStream* stream = movie.video();
  if (!stream) return false;
  uint32_t width = 0, height = 0;
  movie.displaySize(width, height);
  if (static_cast<uint64_t>(width) * height > framePixelLimit) { problem = Problem::tooLarge; return false; }
  problem = Problem::unsupported;
  Codec decoder = openDecoder(stream, 1);
  if (!decoder) return false;
  problem = Problem::unreadable;
  Picture decoded(av_frame_alloc());
  if (!decoded) return false;
  int64_t target = std::clamp<int64_t>(movie.context()->duration / 10, 0, AV_TIME_BASE);
  if (target > 0) av_seek_frame(movie.context(), -1, target, AVSEEK_FLAG_BACKWARD);
  if (!decodeOne(movie, stream, decoder.get(), decoded.get())) {
    // Some files cannot seek, or have no frame there: start again from the beginning.
    av_seek_frame(movie.context(), -1, 0, AVSEEK_FLAG_BACKWARD);
    avcodec_flush_buffers(decoder.get());
    if (!decodeOne(movie, stream, decoder.get(), decoded.get())) return false;
  }
  if (decoded->width <= 0 || decoded->height <= 0 ||
      static_cast<uint64_t>(decoded->width) * static_cast<uint64_t>(decoded->height) > framePixelLimit)
    return false;
  frame.orientation = movie.orientation();
  if (isSideways(frame.orientation)) std::swap(width, height);
  return convert(decoded.get(), width, height, frame);
}

}  // namespace media
