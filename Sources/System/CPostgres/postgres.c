#include <postgresql/libpq-fe.h>

#include <late.h>

#define POSTGRES(result, name, parameters, arguments) LATE("libpq.so.5", result, name, parameters, arguments)

POSTGRES(PGconn *, PQconnectdbParams, (const char *const *names, const char *const *values, int expands),
         (names, values, expands))
POSTGRES(void, PQfinish, (PGconn * connection), (connection))
POSTGRES(ConnStatusType, PQstatus, (const PGconn *connection), (connection))
POSTGRES(char *, PQerrorMessage, (const PGconn *connection), (connection))
POSTGRES(int, PQsocket, (const PGconn *connection), (connection))
POSTGRES(int, PQsetnonblocking, (PGconn * connection, int is), (connection, is))
POSTGRES(int, PQflush, (PGconn * connection), (connection))
POSTGRES(int, PQconsumeInput, (PGconn * connection), (connection))
POSTGRES(int, PQisBusy, (PGconn * connection), (connection))
POSTGRES(PGcancel *, PQgetCancel, (PGconn * connection), (connection))
POSTGRES(int, PQcancel, (PGcancel * cancel, char *reason, int size), (cancel, reason, size))
POSTGRES(void, PQfreeCancel, (PGcancel * cancel), (cancel))
POSTGRES(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * connection, PQnoticeReceiver receiver, void *context),
         (connection, receiver, context))
POSTGRES(int, PQsendQuery, (PGconn * connection, const char *statement), (connection, statement))
POSTGRES(int, PQsendPrepare,
         (PGconn * connection, const char *name, const char *statement, int count, const Oid *types),
         (connection, name, statement, count, types))
POSTGRES(int, PQsendQueryPrepared,
         (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,
          const int *formats, int format),
         (connection, name, count, values, lengths, formats, format))
POSTGRES(PGresult *, PQgetResult, (PGconn * connection), (connection))
POSTGRES(void, PQclear, (PGresult * result), (result))
POSTGRES(ExecStatusType, PQresultStatus, (const PGresult *result), (result))
POSTGRES(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
POSTGRES(int, PQntuples, (const PGresult *result), (result))
POSTGRES(int, PQnfields, (const PGresult *result), (result))
POSTGRES(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
POSTGRES(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))
POSTGRES(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
