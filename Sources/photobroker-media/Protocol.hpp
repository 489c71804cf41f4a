// The messages between the broker and the media worker.
//
// A stream socket, descriptor 3 of the worker. The broker sends one request and reads one answer; nothing is pipelined.
// A message is UTF-8 text ended by a NUL. Words are separated by one space; numbers are decimal.
//
// Request, at most maximumRequestBytes; descriptors beside its first byte by SCM_RIGHTS:
//   ping SEQUENCE
//   facts SEQUENCE EXTENSION                    descriptors: input
//   facts-sidecar SEQUENCE EXTENSION            descriptors: input, XMP sidecar
//   facts-parts SEQUENCE EXTENSION PARTS        descriptors: input, perhaps an XMP sidecar
//   thumbnail SEQUENCE jpeg|webp fit|fill WIDTH HEIGHT   descriptors: input, output
//   preview SEQUENCE PIXELS SECONDS             descriptors: input, output
// SEQUENCE is any number, echoed in the answer. EXTENSION is the file name's in lower case without the dot, or `-`; a
// hint that decides nothing but `problem mislabelled` and which raw format a TIFF is called. WIDTH and HEIGHT are the box
// that the thumbnail is made for, 1 to maximumPixels: `fit` keeps the whole picture inside the box, `fill` covers it and
// cuts the rest evenly; neither enlarges. The input is a sealed memfd (mapped) or any other seekable descriptor (read).
// PARTS are what is there of an input that is far away, as FROM-TO,FROM-TO..., ascending, at most maximumParts; TO is behind
// the last byte. The input has the file's size and zeros elsewhere; it cannot shrink.
// The output is an empty memfd of the broker's, which seals it after the answer. A thumbnail of a video is a poster frame; a
// preview is the first SECONDS, 1 to maximumPreviewSeconds, of a video as WebM whose longest edge has at most PIXELS.
//
// Answer, at most maximumAnswerBytes, lines ended by a line feed:
//   ok|refused|bad SEQUENCE      `refused`: no thumbnail, for the `problem` that follows; `bad`: not a request
//   last                         the worker ends after this answer
// then, for facts, what is known, each line at most once but for `keyword` and `problem`:
//   kind image|video|sidecar|unknown
//   type MIME-TYPE
//   container jpeg|heic|heif|avif|png|gif|webp|tiff|dng|arw|nef|cr2|cr3|crw|raf|orf|rw2|mrw|raw|mov|mp4|3gp|mkv|webm|avi|mpegts|xmp
//   size WIDTH HEIGHT            as displayed
//   coded WIDTH HEIGHT           as stored
//   orientation 1..8             as in EXIF: what turns the stored picture into the displayed one
//   date YEAR MONTH DAY HOUR MINUTE SECOND MICROSECOND original|digitized|xmp|gps|container      a local clock
//   offset MINUTES tag|gps|utc   east of UTC; `tag`: the file says so; `gps`: the difference to the satellites' time;
//                                `utc`: the date's source counts in UTC and the local clock is unknown
//   location LATITUDE LONGITUDE  degrees; altitude METRES
//   make TEXT, model TEXT, title TEXT, caption TEXT, keyword TEXT
//   duration MILLISECONDS, rate FRAMES-PER-1000-SECONDS, frames COUNT (of an animation)
//   live TEXT                    equal in the still and the movie of a Live Photo
//   burst TEXT                   equal in all frames of a burst
//   subtypes NAME...             panorama hdr screenshot raw animated high-frame-rate live motion
//   motion OFFSET LENGTH         of the movie inside the file
//   rating -1..5
//   problem NAME                 see Problem
// for facts-parts, in place of all these, where something is missing that the answer would depend on:
//   need OFFSET LENGTH           ask again with these bytes too; the whole file where its format is not read by parts
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
/// Images with more pixels are refused from their header, before anything is decoded.
constexpr uint64_t maximumImagePixels = 100'000'000;
constexpr size_t maximumExtensionBytes = 16;
constexpr size_t maximumParts = 12;
constexpr size_t maximumShortTextBytes = 128;
constexpr size_t maximumLongTextBytes = 2048;
constexpr size_t maximumKeywords = 32;

enum class Operation { ping, facts, thumbnail, preview };
enum class Encoding { jpeg, webp };
enum class ContentMode { fit, fill };
enum class Status { ok, refused, bad };
enum class Kind { unknown, image, video, sidecar };
enum class DateSource { original, digitized, xmp, gps, container };
enum class OffsetSource { tag, gps, utc };

enum Subtype : uint32_t {
  panorama = 1, hdr = 2, screenshot = 4, raw = 8, animated = 16, highFrameRate = 32, live = 64, motion = 128,
};

enum class Problem {
  unreadable,       // no known format, or the decoder gave up
  truncated,        // the end of the file is missing
  mislabelled,      // the name says another format than the content
  tooLarge,         // more than maximumImagePixels, or more memory than the worker may use
  unsupported,      // known, but cannot be shown here
  metadataDamaged,  // part of the metadata could not be read
  sidecarDamaged,   // the sidecar could not be read
  noEncoder,        // libavcodec was built without libvpx
};

}  // namespace media
