#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace media {

/// Bytes of a file; `to` is behind the last one.
struct Part {
  uint64_t from = 0, to = 0;
};
using Parts = std::vector<Part>;

/// The bytes of one file: owns the descriptor, and the mapping or copy once somebody asked for all bytes.
class Input {
 public:
  /// `parts`, ascending, is what is there of a file that is far away; none: all of it.
  explicit Input(int descriptor, Parts parts = {});
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  uint64_t size() const { return size_; }
  bool isWhole() const { return parts_.empty(); }
  /// How many of these bytes are there, from the first one on.
  size_t available(uint64_t offset, size_t count) const;
  /// Whether all of these bytes are there, as far as the file goes; where not they are noted as missing.
  bool require(uint64_t offset, uint64_t count) const;
  /// What was missing first. Nothing may be answered then that came of this input.
  const std::optional<Part>& missing() const { return missing_; }
  const Parts& parts() const { return parts_; }
  /// Reads at most `count` bytes at `offset`; 0 at the end, after an error, and where not all are there.
  size_t read(uint64_t offset, void* buffer, size_t count) const;
  /// The first bytes of the file, enough to recognise it.
  std::string_view head() const { return {head_, headSize_}; }
  /// All bytes, or nothing when the file is larger than `wholeLimitBytes` or memory is short.
  /// Of a file that is there in parts: zeros in the other places.
  /// A sealed memfd is mapped; anything else is copied, since a file that shrinks under a mapping kills its reader.
  std::string_view whole();

  static constexpr uint64_t wholeLimitBytes = 512ull << 20;

 private:
  int descriptor_;
  uint64_t size_ = 0;
  char head_[4096];
  size_t headSize_ = 0;
  char* bytes_ = nullptr;
  Parts parts_;
  mutable std::optional<Part> missing_;
};

}  // namespace media
