// HMAC-SHA256 of libcrypto for Swift.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Writes 32 bytes to `out`. Returns 1, or 0 if libcrypto fails.
int content_mapping_hmac(const uint8_t *key, size_t key_length, const uint8_t *message, size_t message_length,
                         uint8_t *out);
