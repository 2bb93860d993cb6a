internal import Recording
internal import SQLite

/// The migration steps from an empty file to the current schema, and the values in the file header
/// that identify a store.
enum Schema {
  /// The bytes `FtBr` in the file's header, by which `file` and this program recognize a store.
  static let applicationID: Int64 = 0x4674_4272

  /// The schema version that this program writes.
  static var version: Int64 { Int64(migrations.count) }

  /// The migration steps. Step *n* migrates to version *n* + 1. A released step must never change.
  static let migrations = [
    """
    CREATE TABLE session (
      id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
      boot_id BLOB NOT NULL CHECK (length(boot_id) = 16),
      start_ns INTEGER NOT NULL,
      end_ns INTEGER,
      note TEXT NOT NULL,
      number INTEGER NOT NULL,
      ending INTEGER,
      gateway TEXT NOT NULL DEFAULT '',
      wearer TEXT NOT NULL DEFAULT '',
      received INTEGER NOT NULL DEFAULT 0,
      fixes INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_of_boot ON session (boot_id);

    CREATE TABLE board (
      session BLOB NOT NULL REFERENCES session (id),
      address INTEGER NOT NULL,
      name TEXT NOT NULL,
      model TEXT NOT NULL,
      firmware TEXT NOT NULL,
      placement TEXT NOT NULL DEFAULT '',
      PRIMARY KEY (session, address)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE stream (
      number INTEGER PRIMARY KEY,
      session BLOB NOT NULL,
      board INTEGER NOT NULL,
      signal TEXT NOT NULL,
      unit TEXT NOT NULL,
      axes INTEGER NOT NULL,
      counts_per_unit REAL NOT NULL,
      rate REAL NOT NULL,
      loss_accounting INTEGER NOT NULL,
      axis_names TEXT NOT NULL,
      raw_form INTEGER NOT NULL,
      board_ticks INTEGER NOT NULL,
      position INTEGER,
      last_sequence INTEGER,
      measuring_range REAL,
      UNIQUE (session, board, signal),
      FOREIGN KEY (session, board) REFERENCES board (session, address)
    ) STRICT;

    CREATE TABLE chunk (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
      stream INTEGER NOT NULL REFERENCES stream (number),
      sequence INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      lost INTEGER NOT NULL,
      first_ns INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      UNIQUE (stream, sequence)
    ) STRICT;

    CREATE TABLE absent (
      id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
      stream INTEGER NOT NULL REFERENCES stream (number),
      sequence INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      lost INTEGER NOT NULL,
      first_ns INTEGER NOT NULL,
      reason INTEGER NOT NULL CHECK (reason BETWEEN 0 AND 3),
      UNIQUE (stream, sequence)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE damaged (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL,
      stream INTEGER NOT NULL REFERENCES stream (number),
      sequence INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      bytes BLOB,
      why TEXT NOT NULL,
      lost INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX damaged_of_stream ON damaged (stream);

    CREATE TABLE fix (
      session BLOB NOT NULL REFERENCES session (id),
      number INTEGER NOT NULL,
      arrival_ns INTEGER NOT NULL,
      utc_ns INTEGER NOT NULL,
      latitude REAL NOT NULL,
      longitude REAL NOT NULL,
      altitude_msl REAL,
      geoid_separation REAL,
      speed REAL,
      track REAL,
      hdop REAL,
      satellites INTEGER,
      three_dimensional INTEGER NOT NULL,
      quality INTEGER NOT NULL,
      error_horizontal REAL,
      error_vertical REAL,
      error_basis INTEGER,
      follows_loss INTEGER NOT NULL,
      PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE clock (
      number INTEGER PRIMARY KEY,
      session BLOB NOT NULL REFERENCES session (id),
      boot_ns INTEGER NOT NULL,
      utc_ns INTEGER NOT NULL,
      source INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX clock_of_session ON clock (session);

    CREATE TABLE hazard (
      session BLOB NOT NULL REFERENCES session (id),
      name TEXT NOT NULL COLLATE NOCASE,
      intensity INTEGER NOT NULL CHECK (intensity BETWEEN 0 AND 3),
      time_ns INTEGER NOT NULL,
      utc_ns INTEGER,
      latitude REAL,
      longitude REAL,
      PRIMARY KEY (session, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE annotation (
      number INTEGER PRIMARY KEY,
      session BLOB NOT NULL REFERENCES session (id),
      time_ns INTEGER NOT NULL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX annotation_of_session ON annotation (session);

    CREATE TABLE event (
      number INTEGER PRIMARY KEY,
      session BLOB NOT NULL REFERENCES session (id),
      board INTEGER,
      kind TEXT NOT NULL,
      time_ns INTEGER NOT NULL,
      utc_ns INTEGER,
      value REAL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX event_of_session ON event (session);

    CREATE TABLE statistics (
      session BLOB PRIMARY KEY NOT NULL REFERENCES session (id),
      elapsed REAL NOT NULL,
      distance REAL,
      moving_seconds REAL NOT NULL,
      highest_speed REAL,
      altitude_source TEXT,
      gain REAL,
      loss REAL,
      fix_seconds REAL NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE steps (
      session BLOB NOT NULL REFERENCES session (id),
      number INTEGER NOT NULL,
      board INTEGER NOT NULL,
      source TEXT NOT NULL,
      steps INTEGER NOT NULL,
      PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE destination (
      number INTEGER PRIMARY KEY,
      name TEXT UNIQUE COLLATE NOCASE,
      place TEXT NOT NULL UNIQUE,
      settings TEXT NOT NULL,
      added_utc_ns INTEGER NOT NULL,
      resting_until_utc_ns INTEGER,
      failures INTEGER NOT NULL DEFAULT 0,
      error TEXT NOT NULL DEFAULT ''
    ) STRICT;

    CREATE TABLE upload (
      chunk INTEGER NOT NULL REFERENCES chunk (number) ON DELETE CASCADE,
      destination INTEGER NOT NULL REFERENCES destination (number),
      state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
      attempts INTEGER NOT NULL,
      error TEXT NOT NULL,
      utc_ns INTEGER NOT NULL,
      PRIMARY KEY (chunk, destination)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX upload_parked ON upload (destination) WHERE state = 2;
    CREATE INDEX upload_failed ON upload (destination) WHERE state = 0;

    CREATE TABLE session_upload (
      session BLOB NOT NULL REFERENCES session (id),
      destination INTEGER NOT NULL REFERENCES destination (number),
      state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
      attempts INTEGER NOT NULL,
      error TEXT NOT NULL,
      utc_ns INTEGER NOT NULL,
      content BLOB,
      revision TEXT NOT NULL,
      PRIMARY KEY (session, destination)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE known_board (
      address INTEGER PRIMARY KEY NOT NULL,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE,
      placement TEXT NOT NULL,
      model TEXT NOT NULL,
      firmware TEXT NOT NULL,
      added_utc_ns INTEGER NOT NULL,
      seen_utc_ns INTEGER
    ) STRICT;

    CREATE TABLE setting (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
    "ALTER TABLE session ADD COLUMN participant TEXT NOT NULL DEFAULT '';",
  ]

  /// An index for finding the newest sessions and the next session number without reading all
  /// sessions. Adding the index is not a migration step, because an upgrade would then copy the
  /// whole store. Readers work without the index, and every program that opens the store for
  /// writing adds it.
  static let indexOfSessions = (
    name: "session_of_number",
    statement: "CREATE INDEX IF NOT EXISTS session_of_number ON session (number)"
  )

  /// Bytes per page of a new store. A commit writes whole pages. A chunk fills only part of its
  /// last page, and the indexes take up only a few pages. With 4,096 bytes per page, the database
  /// was 1.72 times the chunks' size, and SQLite wrote 50 % more bytes (`bench store`).
  static let pageSize = 512

  /// An SQL expression for the number of samples in a chunk. A damaged row may contain any number,
  /// but numbers within these bounds can be summed without overflow.
  static let samples = "min(max(samples, 0), 1048576)"
}

extension Database {
  /// Rejects a file that is not a footbridge store, or whose schema version is newer than this
  /// program's. Returns the schema version.
  ///
  /// - Parameter mayBeNew: whether to accept an empty file.
  func checkSchema(mayBeNew: Bool) throws(StoreError) -> Int64 {
    let version = try integer("PRAGMA user_version")
    if mayBeNew, try isUnbegun() { return 0 }
    guard try integer("PRAGMA application_id") == Schema.applicationID, try hasTables() else {
      throw .found(.notAStore, "cannot open \(path): not a footbridge store", path: path)
    }
    guard version > 0 else {
      throw .found(
        .damaged, "cannot open \(path): its schema version \(version) is invalid",
        path: path)
    }
    guard version <= Schema.version else {
      throw .found(
        .newerSchema,
        "cannot open \(path): its schema version is \(version); the newest known is \(Schema.version)",
        path: path)
    }
    return version
  }

  private func hasTables() throws(StoreError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema") != 0
  }

  /// Whether the file is empty, or contains only the data that SQLite writes before it creates the
  /// first table.
  func isUnbegun() throws(StoreError) -> Bool {
    guard try integer("PRAGMA user_version") == 0 else { return false }
    return try !hasTables()
  }

  /// Sets the page size of a file that is still empty.
  func choosePageSize() throws(StoreError) {
    try execute("PRAGMA page_size = \(Schema.pageSize)", doing: "open")
  }

  /// Migrates the schema from `version` to the current version in a single transaction, and adds
  /// the session index. Tests pass the `steps` of a later version.
  func migrate(
    from version: Int64, by steps: [String] = Schema.migrations
  ) throws(StoreError) {
    if version < steps.count { try take(steps) }
    // If the disk is full, the index cannot be added, but the store works without it.
    try? execute(Schema.indexOfSessions.statement, doing: "prepare")
  }

  private func take(_ steps: [String]) throws(StoreError) {
    try transaction(doing: "prepare") { () throws(StoreError) in
      // Another command may have migrated the store while this command was waiting for the lock.
      let version = try integer("PRAGMA user_version")
      guard version < steps.count else { return }
      for step in steps[Int(version)...] { try execute(step, doing: "prepare") }
      try execute("PRAGMA application_id = \(Schema.applicationID)", doing: "prepare")
      try execute("PRAGMA user_version = \(steps.count)", doing: "prepare")
    }
  }
}
