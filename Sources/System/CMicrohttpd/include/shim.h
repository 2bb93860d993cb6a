#pragma once
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

// The settings of a server. The library takes them as variadic options, which Swift cannot pass.
typedef struct {
  int listening;  // a bound socket, which the code that stops listening closes
  unsigned int connections;
  unsigned int idle_seconds;
  size_t connection_memory;
  const char *certificate;  // PEM; NULL for no TLS
  const char *key;          // PEM
  const char *tls;          // permitted versions of TLS, as a GnuTLS priority string
  void *context;            // passed to the functions below
  MHD_AccessHandlerCallback answer;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
} cmicrohttpd_settings;

#if MHD_VERSION < 0x00097701
enum { cmicrohttpd_strictness = MHD_OPTION_STRICT_FOR_CLIENT };
#else
enum { cmicrohttpd_strictness = MHD_OPTION_CLIENT_DISCIPLINE_LVL };
#endif

// Unescapes a path or a query in place, and returns the new length. Leaves text with an escaped zero byte unchanged,
// because the unescaped text would end at that byte.
static inline size_t cmicrohttpd_unescape(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

static inline struct MHD_Daemon *cmicrohttpd_start(const cmicrohttpd_settings *settings) {
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)settings->tls},
      {MHD_OPTION_END, 0, NULL},
  };
  if (!settings->certificate) tls[0] = tls[3];
  unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  if (settings->certificate) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, settings->answer, settings->context,
      MHD_OPTION_LISTEN_SOCKET, settings->listening,
      MHD_OPTION_CONNECTION_LIMIT, settings->connections,
      MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
      MHD_OPTION_CONNECTION_MEMORY_INCREMENT, settings->connection_memory / 2,
      cmicrohttpd_strictness, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, cmicrohttpd_unescape, NULL,
      MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
      MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
      MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

// Returns the descriptor that becomes readable when the server has work to do, or -1 if there is none.
static inline int cmicrohttpd_descriptor(struct MHD_Daemon *server) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

// Returns the number of milliseconds after which the server must run even without an event, or -1 if it can wait.
static inline long long cmicrohttpd_patience(struct MHD_Daemon *server) {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  if (MHD_get_timeout(server, &milliseconds) != MHD_YES) return -1;
  return milliseconds > 3600000 ? 3600000 : (long long)milliseconds;
}

// Returns the socket of a connection.
static inline int cmicrohttpd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// Identifies the client of a connection: by its IPv4 address, or by the network of its IPv6 address. A client can use
// every address in its IPv6 network.
static inline uint64_t cmicrohttpd_client(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr) return 0;
  if (info->client_addr->sa_family == AF_INET) {
    const struct sockaddr_in *address = (const struct sockaddr_in *)info->client_addr;
    return 1ull << 32 | ntohl(address->sin_addr.s_addr);
  }
  uint64_t network = 0;
  if (info->client_addr->sa_family == AF_INET6) {
    const uint8_t *bytes = ((const struct sockaddr_in6 *)info->client_addr)->sin6_addr.s6_addr;
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    // An IPv4 client on an IPv6 socket.
    int is_mapped = memcmp(bytes, mapped, sizeof mapped) == 0;
    if (is_mapped) network = 1;
    for (int i = is_mapped ? 12 : 0; i < (is_mapped ? 16 : 8); i++) network = network << 8 | bytes[i];
  }
  return network;
}

// Returns the context that was stored when the connection was opened.
static inline void *cmicrohttpd_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

// Depending on the release of the library, Swift imports its enums as structures or as closed enums.
static inline enum MHD_Result cmicrohttpd_result(int is_good) { return is_good ? MHD_YES : MHD_NO; }
static inline int cmicrohttpd_is_opening(enum MHD_ConnectionNotificationCode code) {
  return code == MHD_CONNECTION_NOTIFY_STARTED;
}
// Returns the size of a request's head in bytes, from the method to the empty line after the fields.
static inline size_t cmicrohttpd_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

// The state of an iteration over the fields of a head.
typedef struct {
  void (*each)(void *context, const char *name, const char *value);
  void *context;
  const char *end;  // end of the previous field
  int is_plain;
} cmicrohttpd_walk;

static inline enum MHD_Result cmicrohttpd_step(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
    size_t value_size) {
  cmicrohttpd_walk *walk = (cmicrohttpd_walk *)context;
  if (walk->end && name != walk->end + 2) walk->is_plain = 0;
  if (!value) value = "", value_size = 0;
  walk->end = value + value_size;
  walk->each(walk->context, name, value);
  return MHD_YES;
}

// Calls a function with each header field in order. Returns whether every field is one line that ends with CR LF
// and contains no zero byte.
//
// Releases before 0.9.77 end a value at a zero byte, join folded lines and accept LF alone as the end of a line.
// They do not move the fields in memory, so skipped bytes leave a gap between two fields. Later releases reject such
// a head themselves.
static inline int cmicrohttpd_each_field(
    struct MHD_Connection *connection, const char *method,
    void (*each)(void *context, const char *name, const char *value), void *context) {
  cmicrohttpd_walk walk = {each, context, NULL, 1};
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, cmicrohttpd_step, &walk);
#if MHD_VERSION < 0x00097701
  const char *end = method + cmicrohttpd_head_size(connection);
  return walk.is_plain && (!walk.end || walk.end + 4 == end);
#else
  (void)method;
  return 1;
#endif
}

// Calls a function with each parameter of the query in order.
static inline void cmicrohttpd_each_argument(
    struct MHD_Connection *connection, void (*each)(void *context, const char *name, const char *value),
    void *context) {
  cmicrohttpd_walk walk = {each, context, NULL, 1};
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, cmicrohttpd_step, &walk);
}

// Creates a response with a copy of the given bytes.
static inline struct MHD_Response *cmicrohttpd_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
// Creates a response of unknown length. A function produces its body.
static inline struct MHD_Response *cmicrohttpd_stream(
    MHD_ContentReaderCallback next, void *context, MHD_ContentReaderFreeCallback end) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, next, context, end);
}
static inline ssize_t cmicrohttpd_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t cmicrohttpd_broken_stream(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
