#pragma once
#include <postgresql/libpq-fe.h>
#include <poll.h>

// Character constants and enums, which Swift may import as different types.
static inline int cpostgres_state(void) { return PG_DIAG_SQLSTATE; }
static inline int cpostgres_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
static inline int cpostgres_is_open(const PGconn *connection) {
  return PQstatus(connection) == CONNECTION_OK;
}
static inline int cpostgres_is_answer(const PGresult *result) {
  return PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK;
}
// Waits until data have arrived or, if `sends` is true, until data can be sent. Returns 0 after a timeout.
static inline int cpostgres_wait(const PGconn *connection, int sends, int milliseconds) {
  struct pollfd socket = {.fd = PQsocket(connection), .events = POLLIN | (sends ? POLLOUT : 0)};
  return poll(&socket, 1, milliseconds);
}
// Asks the server, over a separate connection, to cancel the current statement. Blocks until the server responds,
// which may never happen.
static inline void cpostgres_cancel(PGcancel *cancel) {
  char reason[256];
  if (cancel) PQcancel(cancel, reason, sizeof reason);
  PQfreeCancel(cancel);
}
