#pragma once

extern "C" {
#include <libavformat/avformat.h>
}

#include "Input.hpp"

namespace media {

/// A video file, opened by libavformat over the input's descriptor without protocols or other
/// files.
class Movie {
 public:
  explicit Movie(const Input& input, bool hasSound = false);
  ~Movie();
  Movie(const Movie&) = delete;
  Movie& operator=(const Movie&) = delete;

  bool isOpen() const { return context_ != nullptr; }
  AVFormatContext* context() const { return context_; }
  /// The picture track, or null.
  AVStream* video() const;
  /// The sound track, or null; only if asked for in the constructor.
  AVStream* sound() const;
  /// The displayed size, with square pixels and the track's rotation applied.
  void displaySize(uint32_t& width, uint32_t& height) const;
  /// The track's display matrix as an EXIF orientation.
  uint8_t orientation() const;

  /// The demuxers and decoders for files of cameras and phones; all others stay unused.
  static constexpr const char* formats = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,asf,bmp_pipe";
  static constexpr const char* codecs =
      "h264,hevc,vp8,vp9,libdav1d,av1,mjpeg,mpeg4,h263,mpeg2video,mpeg1video,svq3,dvvideo,prores,wmv1,wmv2,wmv3,vc1,"
      "bmp";
  static constexpr const char* soundCodecs =
      "aac,mp3float,mp3,mp2float,mp2,opus,vorbis,ac3,alac,amrnb,amrwb,flac,pcm_s16le,pcm_s16be,pcm_s24le,pcm_f32le,"
      "pcm_u8,pcm_mulaw,pcm_alaw";

 private:
  static int read(void* movie, uint8_t* buffer, int count);
  static int64_t seek(void* movie, int64_t offset, int whence);

  const Input& input_;
  int64_t position_ = 0;
  AVFormatContext* context_ = nullptr;
  AVIOContext* io_ = nullptr;
};

}  // namespace media
