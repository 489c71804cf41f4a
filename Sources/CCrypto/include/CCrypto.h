// The parts of OpenSSL's libcrypto that Cryptography uses: hashes, message authentication, ciphers
// and key derivation by the EVP interface, random numbers, and clearing of memory.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

// Functions with OSSL_PARAM arguments. These keep a pointer to their name, and a Swift string
// passed to C is valid for one call only.

/// Makes a context of the algorithm "HMAC" use SHA-256. 1 on success.
int ccrypto_hmac_use_sha256(EVP_MAC_CTX *context);

/// HKDF with SHA-256 (RFC 5869) into `derived`. Salt and info may be empty. 1 on success.
int ccrypto_hkdf_sha256(const unsigned char *key, size_t key_length, const unsigned char *salt, size_t salt_length,
                        const unsigned char *info, size_t info_length, unsigned char *derived, size_t derived_length);

#endif
