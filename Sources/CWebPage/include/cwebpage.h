// The page's files, embedded in the program: nothing is installed or found at run time.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// The number of files.
extern const size_t cwebpage_count;

/// The URL path of a file, for instance "/page.css", or the name of a module of the script, for
/// instance "dom.js"; NULL for an index out of range.
const char *cwebpage_path(size_t index);
/// The file's media type; NULL for a module.
const char *cwebpage_type(size_t index);
/// The file's bytes, which live as long as the program.
const uint8_t *cwebpage_bytes(size_t index, size_t *length);
