// The parts of OpenSSL's libcrypto that Cryptography uses: hashes, message authentication, ciphers and key
// derivation by the EVP interface, random numbers, and memory that must not linger.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#endif
