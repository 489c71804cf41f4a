#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "Sniff.hpp"

namespace media {

/// Reads at most that many bytes at a place of a file; 0 at its end.
using ReadAt = std::function<size_t(uint64_t, void*, size_t)>;

// Whether the end of a file is missing, by the lengths that the file itself states. Where these leave it open (a live recording,
// rubbish behind the end, a structure that makes no sense) the file counts as whole: its owner wants to see it.

/// For pictures of all formats but HEIC and AVIF, whose boxes are read anyway.
bool isTruncatedPicture(std::string_view file, const Format& format);
/// Strips, tiles and directories. A raw file that ends before its sensor's data begins, as tools leave it that keep the preview
/// and the metadata, counts as whole where its directories say where the preview is.
bool isTruncatedTIFF(std::string_view file, bool isRaw, bool listsPreview = true);
/// Panasonic's RW2, of which the sensor's data is the end.
bool isTruncatedRW2(std::string_view file);
/// Fujifilm's RAF.
bool isTruncatedRAF(std::string_view file);
/// Minolta's MRW.
bool isTruncatedMRW(std::string_view file);
/// Canon's CRW, which has its directory at its end.
bool isTruncatedCIFF(std::string_view file);
/// AVI and WebP.
bool isTruncatedRIFF(const ReadAt& read, uint64_t size);
/// MKV and WebM.
bool isTruncatedMatroska(const ReadAt& read, uint64_t size);
/// MPEG-TS, which states no lengths but those of its packets: cut between two of them it is a shorter recording.
bool isTruncatedTransportStream(const ReadAt& read, uint64_t size);

uint64_t little(std::string_view bytes, size_t at, size_t count);

}  // namespace media
