#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace media {

/// The bytes of one file: owns the descriptor, and the mapping or copy once somebody asked for all bytes.
class Input {
 public:
  explicit Input(int descriptor);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  uint64_t size() const { return size_; }
  /// Reads at most `count` bytes at `offset`; 0 at the end or after an error.
  size_t read(uint64_t offset, void* buffer, size_t count) const;
  /// The first bytes of the file, enough to recognise it.
  std::string_view head() const { return {head_, headSize_}; }
  /// All bytes, or nothing when the file is larger than `wholeLimitBytes` or memory is short.
  /// A sealed memfd is mapped; anything else is copied, since a file that shrinks under a mapping kills its reader.
  std::string_view whole();

  static constexpr uint64_t wholeLimitBytes = 512ull << 20;

 private:
  int descriptor_;
  uint64_t size_ = 0;
  char head_[4096];
  size_t headSize_ = 0;
  char* bytes_ = nullptr;
};

}  // namespace media
