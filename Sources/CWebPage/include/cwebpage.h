// The page's files, inside the program: nothing has to be installed beside it or found at run time.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// The number of files.
extern const size_t cwebpage_count;

/// What a browser asks for, for instance "/page.css"; NULL where there is none.
const char *cwebpage_path(size_t index);
/// Its media type.
const char *cwebpage_type(size_t index);
/// Its bytes; they live as long as the program.
const uint8_t *cwebpage_bytes(size_t index, size_t *length);
