#include "Channel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace media {

namespace {

bool number(const std::string& word, uint64_t& value) {
  if (word.empty() || word.size() > 18) return false;
  value = 0;
  for (char c : word) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return true;
}

bool side(const std::string& word, uint16_t& value) {
  uint64_t wide = 0;
  if (!number(word, wide) || wide < 1 || wide > maximumPixels) return false;
  value = static_cast<uint16_t>(wide);
  return true;
}

std::vector<std::string> wordsOf(const std::string& text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c == ' ') words.emplace_back();
    else words.back().push_back(c);
  }
  return words;
}

/// Parses `FROM-TO,FROM-TO...`, ascending and disjoint.
bool partsOf(const std::string& word, Parts& parts) {
  uint64_t behind = 0;
  for (size_t at = 0; at <= word.size();) {
    size_t end = std::min(word.find(',', at), word.size()), dash = word.find('-', at);
    Part part;
    if (dash >= end || !number(word.substr(at, dash - at), part.from) ||
        !number(word.substr(dash + 1, end - dash - 1), part.to))
      return false;
    if (part.from >= part.to || (!parts.empty() && part.from <= behind) || parts.size() == maximumParts) return false;
    parts.push_back(part);
    behind = part.to;
    at = end + 1;
  }
  return true;
}

bool decode(const std::string& text, size_t descriptors, Request& request) {
  std::vector<std::string> words = wordsOf(text);
  if (words.size() < 2 || !number(words[1], request.sequence)) return false;
  if (words[0] == "ping") return words.size() == 2 && descriptors == 0;
  if (words[0] == "facts" || words[0] == "facts-sidecar") {
    request.operation = Operation::facts;
    request.hasSidecar = words[0] != "facts";
    return words.size() == 2 && descriptors == (request.hasSidecar ? 2u : 1u);
  }
  if (words[0] == "signature") {
    request.operation = Operation::signature;
    return words.size() == 2 && descriptors == 1;
  }
  if (words[0] == "facts-parts") {
    request.operation = Operation::facts;
    request.hasSidecar = descriptors == 2;
    return words.size() == 3 && partsOf(words[2], request.parts) && (descriptors == 1 || descriptors == 2);
  }
  if (words[0] == "preview") {
    request.operation = Operation::preview;
    uint64_t seconds = 0;
    if (words.size() != 4 || descriptors != 2 || !side(words[2], request.width) || !number(words[3], seconds))
      return false;
    request.seconds = static_cast<uint16_t>(std::min<uint64_t>(seconds, maximumPreviewSeconds));
    return seconds >= 1 && seconds <= maximumPreviewSeconds;
  }
  if (words[0] != "thumbnail" || words.size() != 6 || descriptors != 2) return false;
  request.operation = Operation::thumbnail;
  request.encoding = words[2] == "webp" ? Encoding::webp : Encoding::jpeg;
  request.mode = words[3] == "fill" ? ContentMode::fill : ContentMode::fit;
  return (words[2] == "webp" || words[2] == "jpeg") && (words[3] == "fill" || words[3] == "fit") &&
         side(words[4], request.width) && side(words[5], request.height);
}

/// Takes the message's descriptors and closes surplus ones.
void collect(msghdr& message, Request& request, size_t& count) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t carried = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < carried; ++i) {
      int descriptor;
      std::memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      if (count < request.descriptors.size()) request.descriptors[count] = descriptor;
      else close(descriptor);
      ++count;
    }
  }
}

}  // namespace

Request::~Request() {
  for (int descriptor : descriptors) {
    if (descriptor >= 0) close(descriptor);
  }
}

int Request::take(size_t index) {
  int descriptor = descriptors[index];
  descriptors[index] = -1;
  return descriptor;
}

bool receive(Request& request) {
  std::string text;
  size_t count = 0;
  while (text.size() <= maximumRequestBytes) {
    char bytes[maximumRequestBytes];
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
    iovec vector = {bytes, sizeof bytes};
    msghdr message = {};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t size = recvmsg(channelDescriptor, &message, MSG_CMSG_CLOEXEC);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    collect(message, request, count);
    if (message.msg_flags & MSG_CTRUNC) return false;
    text.append(bytes, static_cast<size_t>(size));
    size_t end = text.find('\0');
    if (end == std::string::npos) continue;
    // Bytes behind the end belong to a second request: the broker broke the protocol.
    if (end + 1 != text.size()) return false;
    request.isValid = decode(text.substr(0, end), count, request);
    return true;
  }
  return false;
}

bool send(const std::string& message) {
  for (size_t done = 0; done < message.size();) {
    iovec vector = {const_cast<char*>(message.data()) + done, message.size() - done};
    msghdr header = {};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    ssize_t sent = sendmsg(channelDescriptor, &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<size_t>(sent);
  }
  return true;
}

}  // namespace media
