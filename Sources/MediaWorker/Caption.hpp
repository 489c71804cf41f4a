#pragma once

#include <string>

#include "Facts.hpp"

namespace media {

/// Cleaned words of a person; empty for the fixed text that a camera or a program writes instead.
std::string personsText(const std::string& text, const Facts& facts);

}  // namespace media
