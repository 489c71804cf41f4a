#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "Sniff.hpp"

namespace media {

/// Reads at most a number of bytes at a place of a file; returns 0 at its end.
using ReadAt = std::function<size_t(uint64_t, void*, size_t)>;

// Whether the end of a file is missing, by the lengths stated in it. In doubt, as for a live
// recording, bytes behind the end or a malformed structure, the file counts as whole.

/// Checks pictures of all formats except HEIC and AVIF, whose boxes are read anyway.
bool isTruncatedPicture(std::string_view file, const Format& format);
/// Checks strips, tiles and directories. Some tools keep only the preview and metadata of a raw
/// file. This file counts as whole if its directories point to the preview.
bool isTruncatedTIFF(std::string_view file, bool isRaw, bool listsPreview = true);
/// Checks Panasonic's RW2, which ends with the sensor data.
bool isTruncatedRW2(std::string_view file);
bool isTruncatedRAF(std::string_view file);
bool isTruncatedMRW(std::string_view file);
/// Checks Canon's CRW, which has its directory at its end.
bool isTruncatedCIFF(std::string_view file);
/// Checks AVI and WebP.
bool isTruncatedRIFF(const ReadAt& read, uint64_t size);
/// Checks MKV and WebM.
bool isTruncatedMatroska(const ReadAt& read, uint64_t size);
/// Checks MPEG-TS, which states only its packets' lengths: cut between two packets it is a shorter
/// recording.
bool isTruncatedTransportStream(const ReadAt& read, uint64_t size);

uint64_t little(std::string_view bytes, size_t at, size_t count);

}  // namespace media
