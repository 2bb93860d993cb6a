#include <microhttpd.h>
#include <stdarg.h>

#include <late.h>

#define MHD(result, name, parameters, arguments) LATE("libmicrohttpd.so.12", result, name, parameters, arguments)

MHD(struct MHD_Daemon *, MHD_start_daemon_va,
    (unsigned int flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *accepting,
     MHD_AccessHandlerCallback answer, void *answering, va_list options),
    (flags, port, accept, accepting, answer, answering, options))

struct MHD_Daemon *MHD_start_daemon(
    unsigned int flags, uint16_t port, MHD_AcceptPolicyCallback accept, void *accepting,
    MHD_AccessHandlerCallback answer, void *answering, ...) {
  va_list options;
  va_start(options, answering);
  struct MHD_Daemon *server = MHD_start_daemon_va(flags, port, accept, accepting, answer, answering, options);
  va_end(options);
  return server;
}

// None of the requested kinds of information takes an additional argument.
MHD(const union MHD_DaemonInfo *, MHD_get_daemon_info,
    (struct MHD_Daemon * server, enum MHD_DaemonInfoType kind, ...), (server, kind))
MHD(const union MHD_ConnectionInfo *, MHD_get_connection_info,
    (struct MHD_Connection * connection, enum MHD_ConnectionInfoType kind, ...), (connection, kind))

MHD(void, MHD_stop_daemon, (struct MHD_Daemon * server), (server))
MHD(MHD_socket, MHD_quiesce_daemon, (struct MHD_Daemon * server), (server))
MHD(enum MHD_Result, MHD_run, (struct MHD_Daemon * server), (server))
MHD(enum MHD_Result, MHD_get_timeout, (struct MHD_Daemon * server, MHD_UNSIGNED_LONG_LONG *milliseconds),
    (server, milliseconds))
MHD(void, MHD_suspend_connection, (struct MHD_Connection * connection), (connection))
MHD(void, MHD_resume_connection, (struct MHD_Connection * connection), (connection))
MHD(int, MHD_get_connection_values_n,
    (struct MHD_Connection * connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN each, void *context),
    (connection, kind, each, context))
MHD(struct MHD_Response *, MHD_create_response_from_buffer, (size_t size, void *bytes, enum MHD_ResponseMemoryMode mode),
    (size, bytes, mode))
MHD(struct MHD_Response *, MHD_create_response_from_callback,
    (uint64_t size, size_t block, MHD_ContentReaderCallback next, void *context, MHD_ContentReaderFreeCallback end),
    (size, block, next, context, end))
MHD(enum MHD_Result, MHD_add_response_header, (struct MHD_Response * response, const char *name, const char *value),
    (response, name, value))
MHD(enum MHD_Result, MHD_queue_response,
    (struct MHD_Connection * connection, unsigned int status, struct MHD_Response *response),
    (connection, status, response))
MHD(void, MHD_destroy_response, (struct MHD_Response * response), (response))
MHD(size_t, MHD_http_unescape, (char *text), (text))
