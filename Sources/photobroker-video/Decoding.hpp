#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libswscale/swscale.h>
}

#include <memory>

#include "Movie.hpp"

namespace media {

struct FreeCodec { void operator()(AVCodecContext* c) const { avcodec_free_context(&c); } };
struct FreeFrame { void operator()(AVFrame* f) const { av_frame_free(&f); } };
struct FreePacket { void operator()(AVPacket* p) const { av_packet_free(&p); } };
struct FreeScaler { void operator()(SwsContext* s) const { sws_freeContext(s); } };

using Codec = std::unique_ptr<AVCodecContext, FreeCodec>;
using Picture = std::unique_ptr<AVFrame, FreeFrame>;
using Packet = std::unique_ptr<AVPacket, FreePacket>;
using Scaler = std::unique_ptr<SwsContext, FreeScaler>;

/// Video frames are decoded whole: 8K is the largest that cameras write.
constexpr uint64_t framePixelLimit = 40'000'000;

/// A decoder for a track; null if its codec is none of `Movie`'s.
Codec openDecoder(const AVStream* stream, int threads);

}  // namespace media
