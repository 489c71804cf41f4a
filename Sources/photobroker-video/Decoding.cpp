#include "Decoding.hpp"

namespace media {

Codec openDecoder(const AVStream* stream, int threads) {
  const AVCodec* codec = avcodec_find_decoder(stream->codecpar->codec_id);
  if (!codec) return nullptr;
  Codec decoder(avcodec_alloc_context3(codec));
  if (!decoder || avcodec_parameters_to_context(decoder.get(), stream->codecpar) < 0) return nullptr;
  decoder->thread_count = threads;
  decoder->max_pixels = static_cast<int64_t>(framePixelLimit);
  decoder->pkt_timebase = stream->time_base;
  bool isSound = stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
  decoder->codec_whitelist = av_strdup(isSound ? Movie::soundCodecs : Movie::codecs);
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0) return nullptr;
  return decoder;
}

}  // namespace media
