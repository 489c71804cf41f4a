#include "Input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace media {

Input::Input(int descriptor) : descriptor_(descriptor) {
  off_t end = lseek(descriptor_, 0, SEEK_END);
  size_ = end > 0 ? static_cast<uint64_t>(end) : 0;
  headSize_ = read(0, head_, sizeof head_);
}

Input::~Input() {
  if (bytes_) munmap(bytes_, size_);
  close(descriptor_);
}

size_t Input::read(uint64_t offset, void* buffer, size_t count) const {
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
  constexpr int needed = F_SEAL_SHRINK | F_SEAL_WRITE;
  bool sealed = seals >= 0 && (seals & needed) == needed;
  void* address = sealed ? mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0)
                         : mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return {};
  bytes_ = static_cast<char*>(address);
  if (!sealed) read(0, bytes_, size_);
  return {bytes_, size_};
}

}  // namespace media
