#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace media {

/// A range of a file's bytes, without `to`.
struct Part {
  uint64_t from = 0, to = 0;
};
using Parts = std::vector<Part>;

/// The bytes of one file. Owns the descriptor, and the mapping or copy that `whole` makes.
class Input {
 public:
  /// `parts`, ascending, are the available ranges of a remote file; empty for all of it.
  explicit Input(int descriptor, Parts parts = {});
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  uint64_t size() const { return size_; }
  bool isWhole() const { return parts_.empty(); }
  /// The number of available bytes from `offset` on, at most `count`.
  size_t available(uint64_t offset, size_t count) const;
  /// Whether these bytes are available, up to the end of the file. Records missing ones.
  bool require(uint64_t offset, uint64_t count) const;
  /// The first missing range. Answers based on this input are then invalid.
  const std::optional<Part>& missing() const { return missing_; }
  const Parts& parts() const { return parts_; }
  /// Reads at most `count` bytes at `offset`. Returns 0 at the end, after an error, and for missing
  /// bytes.
  size_t read(uint64_t offset, void* buffer, size_t count) const;
  /// The file's first bytes, enough to recognise its format.
  std::string_view head() const { return {head_, headSize_}; }
  /// All bytes; empty if the file is larger than `wholeLimitBytes` or memory is short. Missing
  /// parts are zeros. A sealed memfd is mapped. Other files are copied, because a file that shrinks
  /// under a mapping kills its reader.
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
