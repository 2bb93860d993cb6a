#pragma once
#include <microhttpd.h>

// What a server is started with; variadic options, which Swift cannot pass.
typedef struct {
  int listening;  // a bound socket; closed by whoever stops listening
  unsigned int connections;
  unsigned int idle_seconds;
  size_t connection_memory;
  const char *certificate;  // PEM; NULL for no TLS
  const char *key;          // PEM
  void *context;            // for the functions below
  MHD_AccessHandlerCallback answer;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
} cmicrohttpd_settings;

static inline struct MHD_Daemon *cmicrohttpd_start(const cmicrohttpd_settings *settings) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
      {MHD_OPTION_END, 0, NULL},
  };
  if (!settings->certificate) tls[0] = tls[2];
  unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  if (settings->certificate) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, settings->answer, settings->context,
      MHD_OPTION_LISTEN_SOCKET, settings->listening,
      MHD_OPTION_CONNECTION_LIMIT, settings->connections,
      MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
      MHD_OPTION_CONNECTION_MEMORY_INCREMENT, settings->connection_memory / 2,
      MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
      MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
      MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

// The descriptor that becomes readable when the server has something to do; -1 if it has none.
static inline int cmicrohttpd_descriptor(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

// Milliseconds after which the server wants to run again in any case; -1 if it does not.
static inline long long cmicrohttpd_patience(struct MHD_Daemon *server) {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  if (MHD_get_timeout(server, &milliseconds) != MHD_YES) return -1;
  return milliseconds > 3600000 ? 3600000 : (long long)milliseconds;
}

// The socket of a connection.
static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// What was left with a connection when it came.
static inline void *cmicrohttpd_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

// Releases of the library differ in whether Swift sees its enums as structures or as closed enums.
static inline enum MHD_Result cmicrohttpd_result(int is_good) { return is_good ? MHD_YES : MHD_NO; }
static inline int cmicrohttpd_is_opening(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}
static inline void cmicrohttpd_each_field(
    struct MHD_Connection *connection, MHD_KeyValueIterator body, void *context) {
  MHD_get_connection_values(connection, MHD_HEADER_KIND, body, context);
}
// An answer with a copy of these bytes.
static inline struct MHD_Response *cmicrohttpd_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
