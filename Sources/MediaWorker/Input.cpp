#include "Input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace media {

Input::Input(int descriptor, Parts parts) : descriptor_(descriptor), parts_(std::move(parts)) {
  off_t end = lseek(descriptor_, 0, SEEK_END);
  size_ = end > 0 ? static_cast<uint64_t>(end) : 0;
  if (parts_.size() == 1 && parts_[0].from == 0 && parts_[0].to >= size_) parts_.clear();
  if (!require(0, sizeof head_)) return;
  headSize_ = read(0, head_, sizeof head_);
}

Input::~Input() {
  if (bytes_) munmap(bytes_, size_);
  close(descriptor_);
}

size_t Input::available(uint64_t offset, size_t count) const {
  if (isWhole()) return count;
  for (const Part& part : parts_) {
    if (offset >= part.from && offset < part.to)
      return static_cast<size_t>(std::min<uint64_t>(count, part.to - offset));
  }
  return 0;
}

bool Input::require(uint64_t offset, uint64_t count) const {
  if (isWhole() || offset >= size_) return true;
  uint64_t wanted = std::min(count, size_ - offset);
  uint64_t there = available(offset, static_cast<size_t>(wanted));
  if (there == wanted) return true;
  if (!missing_) missing_ = Part{offset + there, offset + wanted};
  return false;
}

size_t Input::read(uint64_t offset, void* buffer, size_t count) const {
  if (!require(offset, count)) return 0;
  size_t done = 0;
  while (done < count) {
    ssize_t n = pread(descriptor_, static_cast<char*>(buffer) + done, count - done, static_cast<off_t>(offset + done));
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

std::string_view Input::whole() {
  if (bytes_) return {bytes_, size_};
  if (size_ == 0 || size_ > wholeLimitBytes) return {};
  int seals = fcntl(descriptor_, F_GET_SEALS);
  // The broker still writes into a partial input between requests, so only its size is sealed.
  const int needed = isWhole() ? F_SEAL_SHRINK | F_SEAL_WRITE : F_SEAL_SHRINK;
  bool sealed = seals >= 0 && (seals & needed) == needed;
  void* address = sealed ? mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0)
                         : mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return {};
  bytes_ = static_cast<char*>(address);
  if (!sealed) read(0, bytes_, size_);
  return {bytes_, size_};
}

}  // namespace media
