#include "Murmur3.hpp"

#include <algorithm>
#include <cstring>

namespace media {

namespace {

constexpr uint64_t c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f;

uint64_t rotated(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blocks are read as they lie in memory");
uint64_t little(const unsigned char* bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

uint64_t scrambledFirst(uint64_t block) { return rotated(block * c1, 31) * c2; }
uint64_t scrambledSecond(uint64_t block) { return rotated(block * c2, 33) * c1; }

uint64_t finished(uint64_t value) {
  value = (value ^ value >> 33) * 0xff51afd7ed558ccd;
  value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53;
  return value ^ value >> 33;
}

}  // namespace

void Murmur3::mix(uint64_t first, uint64_t second) {
  first_ = (rotated(first_ ^ scrambledFirst(first), 27) + second_) * 5 + 0x52dce729;
  second_ = (rotated(second_ ^ scrambledSecond(second), 31) + first_) * 5 + 0x38495ab5;
}

void Murmur3::add(const void* bytes, size_t count) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  length_ += count;
  if (filled_ > 0) {
    size_t step = std::min(count, rest_.size() - filled_);
    std::memcpy(rest_.data() + filled_, at, step);
    filled_ += step;
    at += step;
    count -= step;
    // As in libavutil, a block that these bytes complete waits for the next ones.
    if (count == 0) return;
    mix(little(rest_.data()), little(rest_.data() + 8));
  }
  for (; count >= rest_.size(); at += rest_.size(), count -= rest_.size()) mix(little(at), little(at + 8));
  std::memcpy(rest_.data(), at, count);
  filled_ = count;
}

std::string Murmur3::text() {
  std::fill(rest_.begin() + filled_, rest_.end(), 0);
  uint64_t first = first_ ^ scrambledFirst(little(rest_.data())) ^ length_;
  uint64_t second = second_ ^ scrambledSecond(little(rest_.data() + 8)) ^ length_;
  first += second;
  second += first;
  first = finished(first);
  second = finished(second);
  first += second;
  second += first;
  std::string text;
  for (uint64_t half : {first, second}) {
    for (int shift = 0; shift < 64; shift += 8) {
      text += "0123456789abcdef"[half >> (shift + 4) & 15];
      text += "0123456789abcdef"[half >> shift & 15];
    }
  }
  return text;
}

}  // namespace media
