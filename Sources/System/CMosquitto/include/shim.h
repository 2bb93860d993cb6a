#pragma once
#include <mosquitto.h>

// Certificates: those of a file, or of the folder of this computer. The name of the broker is compared too.
static inline int cmosquitto_encrypt(struct mosquitto *client, const char *authority) {
  int failure = mosquitto_tls_set(client, authority, authority ? NULL : "/etc/ssl/certs", NULL, NULL, NULL);
  // 1 is SSL_VERIFY_PEER; TLS 1.2 and later.
  return failure ? failure : mosquitto_tls_opts_set(client, 1, NULL, NULL);
}
