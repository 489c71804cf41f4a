#include "CCrypto.h"

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or newer is needed: libssl-dev"
#endif

int ccrypto_hmac_use_sha256(EVP_MAC_CTX *context) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_CTX_set_params(context, parameters);
}

int ccrypto_hkdf_sha256(const unsigned char *key, size_t key_length, const unsigned char *salt, size_t salt_length,
                        const unsigned char *info, size_t info_length, unsigned char *derived, size_t derived_length) {
  OSSL_PARAM parameters[5];
  OSSL_PARAM *next = parameters;
  *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0);
  *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_length);
  if (salt_length > 0) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length);
  if (info_length > 0) *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length);
  *next = OSSL_PARAM_construct_end();

  int done = 0;
  EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX *context = algorithm == NULL ? NULL : EVP_KDF_CTX_new(algorithm);
  if (context != NULL) done = EVP_KDF_derive(context, derived, derived_length, parameters);
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(algorithm);
  return done;
}
