#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace media {

/// MurmurHash3 of 128 bits for 64-bit machines. Digests are stored, so they equal those of libavutil,
/// which made the first ones and loads 20 libraries.
///
/// Source: https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp
class Murmur3 {
 public:
  void add(const void* bytes, size_t count);
  /// 32 hexadecimal digits.
  std::string text();

 private:
  void mix(uint64_t first, uint64_t second);

  static constexpr uint64_t seed = 0x725acc55daddca55;
  uint64_t first_ = seed, second_ = seed, length_ = 0;
  /// The last bytes, which are not mixed yet.
  std::array<unsigned char, 16> rest_{};
  size_t filled_ = 0;
};

}  // namespace media
