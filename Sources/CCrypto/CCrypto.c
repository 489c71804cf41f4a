#include "CCrypto.h"

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or newer is needed: libssl-dev"
#endif
