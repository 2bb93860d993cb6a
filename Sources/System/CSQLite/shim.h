#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast macro, which Swift cannot import. It makes SQLite copy the bytes before the call returns.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, so Swift cannot call it.
static inline void csqlite_keep_log(sqlite3 *connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Extended result codes are macros with shifts, which Swift does not import.
enum {
  csqlite_ioerr_write = SQLITE_IOERR_WRITE,
  csqlite_ioerr_truncate = SQLITE_IOERR_TRUNCATE,
  csqlite_ioerr_fsync = SQLITE_IOERR_FSYNC,
};
