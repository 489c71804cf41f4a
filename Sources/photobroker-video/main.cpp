// photobroker-video: photobroker-media with libav. See ../photobroker-media/README.md.

extern "C" {
#include <libavutil/log.h>
}

#include "Run.hpp"
#include "Videos.hpp"

void media::startVideos() { av_log_set_level(AV_LOG_QUIET); }

int main(int count, char** arguments) { return media::run(count, arguments); }
