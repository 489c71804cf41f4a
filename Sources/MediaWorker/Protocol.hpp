// The messages between the broker and the media worker.
//
// The socket is a stream socket, descriptor 3 of the worker. The broker sends one request and reads
// one answer; nothing is pipelined.
// A message is UTF-8 text ended by a NUL. Words are separated by one space; numbers are decimal.
//
// Request, at most maximumRequestBytes; descriptors accompany its first byte by SCM_RIGHTS:
//   ping SEQUENCE
//   facts SEQUENCE                              descriptors: input
//   facts-sidecar SEQUENCE                      descriptors: input, XMP sidecar
//   facts-parts SEQUENCE PARTS                  descriptors: input, perhaps an XMP sidecar
//   signature SEQUENCE                          descriptors: input, whose beginning alone is read
//   thumbnail SEQUENCE jpeg|webp fit|fill WIDTH HEIGHT   descriptors: input, output
//   preview SEQUENCE PIXELS SECONDS             descriptors: input, output
// SEQUENCE is any number, echoed in the answer.
// WIDTH and HEIGHT are the thumbnail's box, 1 to maximumPixels. `fit` keeps the whole picture inside
// the box; `fill` covers it and cuts the rest evenly; neither enlarges.
// The input is a sealed memfd (mapped) or any other seekable descriptor (read).
// PARTS are the available ranges of a remote input, as FROM-TO,FROM-TO..., ascending, at most
// maximumParts; TO is behind the last byte. The input has the file's size, zeros elsewhere, and
// cannot shrink.
// The output is an empty memfd of the broker's, which seals it after the answer.
// A thumbnail of a video is a poster frame. A preview is the first SECONDS of a video, 1 to
// maximumPreviewSeconds, as WebM with at most PIXELS at the longest edge.
//
// Answer, at most maximumAnswerBytes, lines ended by a line feed:
//   ok|refused|bad|video SEQUENCE  `refused`: no thumbnail, for the `problem` that follows; `bad`: not a request;
//                                `video`, alone: only photobroker-video can tell, with the same request
//   last                         the worker ends after this answer
// then the known facts; for signature, kind, type and container only. `keyword` and `problem` may repeat:
//   kind image|video|sidecar|unknown
//   type MIME-TYPE
//   container WORD               see Sniff.cpp
//   size WIDTH HEIGHT            as displayed
//   coded WIDTH HEIGHT           as stored
//   orientation 1..8             as in EXIF: turns the stored picture into the displayed one
//   date YEAR MONTH DAY HOUR MINUTE SECOND MICROSECOND SOURCE [partial]
//                                a local clock; `partial`: only the year, or year and month, are known, and this
//                                is their first instant. SOURCE is original, digitized, xmp, iptc, text, gps or
//                                container
//   offset MINUTES tag|gps|utc   east of UTC; `tag`: stated in the file; `gps`: difference to GPS time;
//                                `utc`: the date's source counts in UTC, the local clock is unknown
//   location LATITUDE LONGITUDE  in degrees
//   altitude METRES
//   camera TEXT                  make and model in the file itself, without a sidecar
//   captured SECONDS MICROSECONDS  the file's own date, as if its local clock were UTC; absent without a time of day
//   picture DIGEST               32 hexadecimal digits that depend on the coded picture or film alone
//   make TEXT, model TEXT, title TEXT, caption TEXT, keyword TEXT
//   duration MILLISECONDS, rate FRAMES-PER-1000-SECONDS, frames COUNT (of an animation)
//   live TEXT                    equal in the still and the movie of a Live Photo
//   burst TEXT                   equal in all frames of a burst
//   subtypes NAME...             panorama hdr screenshot raw animated high-frame-rate live motion
//   motion OFFSET LENGTH         of the movie inside the file
//   rating -1..5
//   problem NAME                 see Problem
// or, for facts-parts, if a needed part of the input is missing, only:
//   need OFFSET LENGTH           repeat the request with these bytes too; the whole file for formats
//                                that are not read in parts
// and for a thumbnail:
//   thumbnail WIDTH HEIGHT BYTES
// and for a preview:
//   preview WIDTH HEIGHT MILLISECONDS BYTES
#pragma once

#include <cstddef>
#include <cstdint>

namespace media {

constexpr size_t maximumRequestBytes = 512;
constexpr size_t maximumAnswerBytes = 16384;
/// The longest side of a thumbnail in pixels.
constexpr uint16_t maximumPixels = 2560;
/// The longest preview of a video.
constexpr uint16_t maximumPreviewSeconds = 60;
/// The largest image in pixels. Larger ones are refused by their header, before decoding.
constexpr uint64_t maximumImagePixels = 100'000'000;
/// The largest JPEG and WebP, which are shrunk while they are read.
constexpr uint64_t maximumShrunkPixels = 500'000'000;
constexpr size_t maximumParts = 12;
constexpr size_t maximumShortTextBytes = 128;
constexpr size_t maximumLongTextBytes = 2048;
constexpr size_t maximumKeywords = 32;

enum class Operation { ping, facts, signature, thumbnail, preview };
enum class Encoding { jpeg, webp };
enum class ContentMode { fit, fill };
enum class Status { ok, refused, bad, video };
enum class Kind { unknown, image, video, sidecar };
enum class DateSource { original, digitized, xmp, iptc, text, gps, container };
enum class OffsetSource { tag, gps, utc };

enum Subtype : uint32_t {
  panorama = 1, hdr = 2, screenshot = 4, raw = 8, animated = 16, highFrameRate = 32, live = 64, motion = 128,
};

enum class Problem {
  unreadable,       // no known format, or the decoder gave up
  truncated,        // the end of the file is missing
  tooLarge,         // more pixels than are decoded, or more memory than the worker may use
  unsupported,      // known, but cannot be shown here
  metadataDamaged,  // part of the metadata could not be read
  sidecarDamaged,   // the sidecar could not be read
  noEncoder,        // libavcodec was built without libvpx
};

}  // namespace media
