#pragma once
#include <mosquitto.h>

// Verifies the broker's certificate and name, with the authorities in a file or else with the system's.
static inline int cmosquitto_encrypt(struct mosquitto *client, const char *authority) {
  int failure = mosquitto_tls_set(client, authority, authority ? NULL : "/etc/ssl/certs", NULL, NULL, NULL);
  // 1 is SSL_VERIFY_PEER. NULL selects the default versions of TLS, 1.2 and later.
  return failure ? failure : mosquitto_tls_opts_set(client, 1, NULL, NULL);
}
