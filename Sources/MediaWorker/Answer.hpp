#pragma once

#include <string>

#include "Protocol.hpp"

namespace media {

/// Writes an answer's lines, and omits those that no longer fit.
class Answer {
 public:
  explicit Answer(uint64_t sequence) : sequence_(sequence) {}
  /// `value` is the worker's own text, words or numbers.
  void line(const char* name, const std::string& value);
  void line(const char* name, uint64_t value) { line(name, std::to_string(value)); }
  void line(const char* name, uint64_t first, uint64_t second) {
    line(name, std::to_string(first) + " " + std::to_string(second));
  }
  /// `value` comes from a file: it is cleaned, cut to `limit` bytes, and omitted if nothing
  /// remains.
  void text(const char* name, const std::string& value, size_t limit);
  void problem(Problem problem);
  void setStatus(Status status) { status_ = status; }
  void setLast() { last_ = true; }
  std::string message() const;

 private:
  uint64_t sequence_;
  Status status_ = Status::ok;
  bool last_ = false;
  std::string lines_;
};

/// Cleans text from a file: valid UTF-8, no control characters, no white space at the ends.
std::string cleaned(const std::string& value, size_t limit);

}  // namespace media
