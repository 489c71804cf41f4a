#include "Run.hpp"

#include <exiv2/exiv2.hpp>
#include <iconv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "Attempts.hpp"
#include "Lockdown.hpp"
#include "Pixels.hpp"
#include "Serve.hpp"
#include "Videos.hpp"

namespace media {

namespace {

void discard(int, const char*) {}

/// Opens all files and loads all code, which is impossible afterwards.
bool start(const char* program) {
  if (!startPixels(program)) return false;
  Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
  Exiv2::LogMsg::setHandler(discard);
  Exiv2::XmpParser::initialize();
  Exiv2::enableBMFF(true);
  startVideos();
  // glibc loads a conversion on first use and keeps it while one is open, so these stay open.
  for (const char* charset : {"ISO-8859-1", "UCS-2LE", "UCS-2BE", "UTF-16LE", "UTF-16BE", "SHIFT_JIS"}) {
    (void)iconv_open("UTF-8", charset);
  }
  return true;
}

}  // namespace

int run(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--list-attempts") == 0) {
    listAttempts();
    return 0;
  }
  bool isAttempt = count == 3 && std::strcmp(arguments[1], "--attempt") == 0;
  if (count != 1 && !isAttempt) {
    std::fputs("This program is started by photobrokerd, with its socket as descriptor 3.\n"
               "  --list-attempts   names of forbidden actions\n"
               "  --attempt NAME    lock down, try one, say what came of it (status 1: it worked)\n", stderr);
    return 64;
  }
  // Closes all other inherited descriptors.
  syscall(SYS_close_range, isAttempt ? 3u : 4u, ~0u, 0u);
  if (!start(arguments[0])) {
    std::fputs("media worker: libvips did not start; is it installed whole?\n", stderr);
    return 69;
  }
  lockDown();
  if (isAttempt) return attempt(arguments[2]);
  serve();
  // Destructors of libraries might open files, which would end the process; the kernel frees all
  // memory.
  _exit(0);
}

}  // namespace media
