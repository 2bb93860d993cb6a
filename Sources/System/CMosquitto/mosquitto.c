#include <mosquitto.h>

#include <late.h>

#define MQTT(result, name, parameters, arguments) LATE("libmosquitto.so.1", result, name, parameters, arguments)

MQTT(int, mosquitto_lib_init, (void), ())
MQTT(struct mosquitto *, mosquitto_new, (const char *id, bool is_clean, void *context), (id, is_clean, context))
MQTT(void, mosquitto_destroy, (struct mosquitto * client), (client))
MQTT(int, mosquitto_username_pw_set, (struct mosquitto * client, const char *user, const char *password),
     (client, user, password))
MQTT(int, mosquitto_tls_set,
     (struct mosquitto * client, const char *authority, const char *folder, const char *certificate, const char *key,
      int (*password)(char *text, int size, int is_writing, void *context)),
     (client, authority, folder, certificate, key, password))
MQTT(int, mosquitto_tls_opts_set,
     (struct mosquitto * client, int requirements, const char *version, const char *ciphers),
     (client, requirements, version, ciphers))
MQTT(int, mosquitto_connect_async, (struct mosquitto * client, const char *host, int port, int keepalive),
     (client, host, port, keepalive))
MQTT(int, mosquitto_disconnect, (struct mosquitto * client), (client))
MQTT(int, mosquitto_publish,
     (struct mosquitto * client, int *number, const char *topic, int size, const void *payload, int qos, bool is_retained),
     (client, number, topic, size, payload, qos, is_retained))
MQTT(int, mosquitto_subscribe, (struct mosquitto * client, int *number, const char *filter, int qos),
     (client, number, filter, qos))
MQTT(int, mosquitto_socket, (struct mosquitto * client), (client))
MQTT(bool, mosquitto_want_write, (struct mosquitto * client), (client))
MQTT(int, mosquitto_loop_read, (struct mosquitto * client, int packets), (client, packets))
MQTT(int, mosquitto_loop_write, (struct mosquitto * client, int packets), (client, packets))
MQTT(int, mosquitto_loop_misc, (struct mosquitto * client), (client))
MQTT(void, mosquitto_connect_callback_set,
     (struct mosquitto * client, void (*answered)(struct mosquitto *, void *, int)), (client, answered))
MQTT(void, mosquitto_publish_callback_set,
     (struct mosquitto * client, void (*published)(struct mosquitto *, void *, int)), (client, published))
MQTT(void, mosquitto_subscribe_callback_set,
     (struct mosquitto * client, void (*subscribed)(struct mosquitto *, void *, int, int, const int *)),
     (client, subscribed))
MQTT(void, mosquitto_message_callback_set,
     (struct mosquitto * client, void (*came)(struct mosquitto *, void *, const struct mosquitto_message *)),
     (client, came))
MQTT(const char *, mosquitto_strerror, (int failure), (failure))
MQTT(const char *, mosquitto_connack_string, (int answer), (answer))
