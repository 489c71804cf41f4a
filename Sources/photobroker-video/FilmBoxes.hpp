#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "Input.hpp"

namespace media {

/// Calls `visit` with the type, place and end of each box's content between two places of a film.
using VisitFilmBox = std::function<void(std::string_view type, uint64_t from, uint64_t to)>;
void eachFilmBox(const Input& input, uint64_t from, uint64_t to, const VisitFilmBox& visit);

/// Calls `visit` for each entry of QuickTime's user data.
void eachUserData(const Input& input, const VisitFilmBox& visit);

/// The date of a QuickTime film's user data, which libavformat does not read; empty if absent.
std::string readUserDate(const Input& input);

/// The XMP document of an MP4 or QuickTime film; empty if absent.
std::string readFilmXMP(const Input& input);

}  // namespace media
