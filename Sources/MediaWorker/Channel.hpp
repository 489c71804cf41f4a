#pragma once

#include <array>
#include <string>

#include "Input.hpp"
#include "Protocol.hpp"

namespace media {

/// One request from the socket; owns its descriptors.
struct Request {
  Request() = default;
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  uint64_t sequence = 0;
  Operation operation = Operation::ping;
  Encoding encoding = Encoding::jpeg;
  ContentMode mode = ContentMode::fit;
  bool hasSidecar = false;
  uint16_t width = 0, height = 0;
  uint16_t seconds = 0;
  /// The available parts of the input; empty for all of it.
  Parts parts;
  std::array<int, 2> descriptors = {-1, -1};
  /// False if the text or the descriptors are no request of Protocol.hpp.
  bool isValid = false;

  /// Transfers descriptor `index` to the caller.
  int take(size_t index);
};

constexpr int channelDescriptor = 3;

/// Waits for the next request; false once the broker has closed the socket.
bool receive(Request& request);
bool send(const std::string& message);

}  // namespace media
