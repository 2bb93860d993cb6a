#pragma once
#include <mosquitto.h>

// Enables verification of the broker's certificate and name, using the certificate authorities in a file or, without a
// file, those of the system.
static inline int cmosquitto_encrypt(struct mosquitto *client, const char *authority) {
  int failure = mosquitto_tls_set(client, authority, authority ? NULL : "/etc/ssl/certs", NULL, NULL, NULL);
  // 1 is SSL_VERIFY_PEER. NULL selects the default versions of TLS, 1.2 and later.
  return failure ? failure : mosquitto_tls_opts_set(client, 1, NULL, NULL);
}
