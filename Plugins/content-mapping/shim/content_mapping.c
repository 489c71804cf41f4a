#include "content_mapping.h"
#include <openssl/evp.h>
#include <openssl/hmac.h>

int content_mapping_hmac(const uint8_t *key, size_t key_length, const uint8_t *message, size_t message_length,
                         uint8_t *out) {
  unsigned int length = 32;
  return HMAC(EVP_sha256(), key, (int)key_length, message, message_length, out, &length) != NULL && length == 32;
}
