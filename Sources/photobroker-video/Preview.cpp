#include <cmath>
#include <ctime>

#include "PreviewPictures.hpp"
#include "PreviewSound.hpp"
#include "Sniff.hpp"
#include "Videos.hpp"

namespace media {

namespace {

/// Time limit for one preview; the part that is ready then becomes the preview.
constexpr double workLimitSeconds = 30;

double now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// Reads packets until the preview has its length.
bool fill(const Movie& movie, PreviewPictures& pictures, PreviewSound* sound) {
  Packet packet(av_packet_alloc());
  if (!packet) return false;
  const double end = now() + workLimitSeconds;
  bool isGood = true, isFull = false;
  while (isGood && !isFull && now() < end && av_read_frame(movie.context(), packet.get()) >= 0) {
    if (packet->stream_index == pictures.source()) {
      isGood = pictures.takePacket(packet.get());
      isFull = pictures.isPast(packet.get());
    } else if (sound && packet->stream_index == sound->source()) {
      isGood = sound->takePacket(packet.get());
    }
    av_packet_unref(packet.get());
  }
  return isGood;
}

}  // namespace

bool makePreview(const Input& input, const PreviewRequest& request, int output, Preview& preview, Problem& problem) {
  problem = Problem::unreadable;
  if (sniff(input.head()).kind != Kind::video) return false;
  Movie movie(input, true);
  WebM file(output);
  PreviewPictures pictures;
  if (!movie.isOpen() || !pictures.open(movie, file, request, problem)) return false;
  PreviewSound sound;
  bool hasSound = sound.open(movie, file, request);
  problem = Problem::unreadable;
  if (!file.begin() || !fill(movie, pictures, hasSound ? &sound : nullptr)) return false;
  if (!pictures.finish() || (hasSound && !sound.finish()) || pictures.reached() < 0 || !file.finish()) return false;
  preview = {pictures.width(), pictures.height(), static_cast<uint32_t>(std::lround(pictures.reached() * 1000)),
             file.size()};
  return true;
}

}  // namespace media
