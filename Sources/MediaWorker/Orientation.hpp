#pragma once

#include <cstdint>

namespace media {

/// An EXIF orientation as a left-right mirror, applied first, and clockwise quarter turns.
struct Turn {
  bool mirrored;
  uint8_t quarters;
};

/// 1 to 8; other values count as 1.
inline Turn turnOf(uint8_t orientation) {
  switch (orientation) {
    case 2: return {true, 0};
    case 3: return {false, 2};
    case 4: return {true, 2};
    case 5: return {true, 3};
    case 6: return {false, 1};
    case 7: return {true, 1};
    case 8: return {false, 3};
    default: return {false, 0};
  }
}

inline uint8_t orientationOf(Turn turn) {
  static constexpr uint8_t plain[] = {1, 6, 3, 8}, mirrored[] = {2, 7, 4, 5};
  return turn.mirrored ? mirrored[turn.quarters & 3] : plain[turn.quarters & 3];
}

/// The orientation of `first`, then `second`.
inline uint8_t combined(uint8_t first, uint8_t second) {
  Turn a = turnOf(first), b = turnOf(second);
  // Mirroring after a turn equals turning the other way after mirroring.
  int quarters = (b.mirrored ? 4 - a.quarters : a.quarters) + b.quarters;
  return orientationOf({a.mirrored != b.mirrored, static_cast<uint8_t>(quarters & 3)});
}

/// Whether width and height are swapped.
inline bool isSideways(uint8_t orientation) { return turnOf(orientation).quarters & 1; }

}  // namespace media
