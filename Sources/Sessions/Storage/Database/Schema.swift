internal import Recording

/// The steps from an empty file to the present schema, and the marks by which a store is known.
enum Schema {
  /// "FtBr" in the file's header: `file` and we ourselves know a store by it.
  static let applicationID: Int64 = 0x4674_4272

  /// The version this program writes.
  static var version: Int64 { Int64(migrations.count) }

  /// Step *n* leads to version *n* + 1. A step that was released never changes.
  static let migrations = [
    """
    CREATE TABLE session (
      id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
      boot_id BLOB NOT NULL CHECK (length(boot_id) = 16),
      start_ns INTEGER NOT NULL,
      end_ns INTEGER,
      note TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE board (
      session BLOB NOT NULL REFERENCES session (id),
      address INTEGER NOT NULL,
      name TEXT NOT NULL,
      model TEXT NOT NULL,
      firmware TEXT NOT NULL,
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
    """,
    // What streams recorded before were: axes without names, whole numbers, no board clock.
    """
    ALTER TABLE stream ADD COLUMN axis_names TEXT NOT NULL DEFAULT '';
    ALTER TABLE stream ADD COLUMN raw_form INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE stream ADD COLUMN board_ticks INTEGER NOT NULL DEFAULT 0;
    """,
    // Beside the boards of sessions, which stay as they were recorded: the boards somebody uses.
    """
    CREATE TABLE known_board (
      address INTEGER PRIMARY KEY NOT NULL,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE,
      placement TEXT NOT NULL,
      model TEXT NOT NULL,
      firmware TEXT NOT NULL,
      added_utc_ns INTEGER NOT NULL,
      seen_utc_ns INTEGER
    ) STRICT;
    """,
    // Who recorded whom and how it ended, what people and the recorder noted, what was sent, what
    // was found damaged, and how much room there may be. Sessions get the order of their streams.
    """
    ALTER TABLE session ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN ending INTEGER;
    ALTER TABLE session ADD COLUMN gateway TEXT NOT NULL DEFAULT '';
    ALTER TABLE session ADD COLUMN wearer TEXT NOT NULL DEFAULT '';
    UPDATE session SET
      number = ifnull((SELECT min(stream.number) FROM stream WHERE stream.session = session.id), 0),
      ending = iif(end_ns IS NULL, NULL, 0);
    ALTER TABLE board ADD COLUMN placement TEXT NOT NULL DEFAULT '';
    ALTER TABLE fix ADD COLUMN error_horizontal REAL;
    ALTER TABLE fix ADD COLUMN error_vertical REAL;
    ALTER TABLE fix ADD COLUMN error_basis INTEGER;
    ALTER TABLE fix ADD COLUMN follows_loss INTEGER NOT NULL DEFAULT 0;

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

    CREATE TABLE upload (
      chunk INTEGER NOT NULL REFERENCES chunk (number) ON DELETE CASCADE,
      destination TEXT NOT NULL,
      state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
      attempts INTEGER NOT NULL,
      error TEXT NOT NULL,
      utc_ns INTEGER NOT NULL,
      PRIMARY KEY (chunk, destination)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE damaged (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL,
      stream INTEGER NOT NULL REFERENCES stream (number),
      sequence INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      bytes BLOB,
      why TEXT NOT NULL
    ) STRICT;
    CREATE INDEX damaged_of_stream ON damaged (stream);

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

    CREATE TABLE setting (
      name TEXT PRIMARY KEY NOT NULL,
      value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
    // Destinations, and the state of each upload. Chunks that are known of and not here, so that
    // the record of a session stays complete. Sessions that came from other gateways. Nothing that
    // was released could note an upload before: a destination that only has a word is kept as a
    // removed one.
    """
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
    INSERT INTO destination (place, settings, added_utc_ns)
      SELECT destination, '{}', min(utc_ns) FROM upload GROUP BY destination;

    ALTER TABLE upload RENAME TO upload_of_version_4;
    CREATE TABLE upload (
      chunk INTEGER NOT NULL REFERENCES chunk (number) ON DELETE CASCADE,
      destination INTEGER NOT NULL REFERENCES destination (number),
      state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
      attempts INTEGER NOT NULL,
      error TEXT NOT NULL,
      utc_ns INTEGER NOT NULL,
      PRIMARY KEY (chunk, destination)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO upload
      SELECT chunk, number, state, attempts, upload_of_version_4.error, utc_ns
      FROM upload_of_version_4 JOIN destination ON place = destination;
    DROP TABLE upload_of_version_4;
    CREATE INDEX upload_parked ON upload (destination) WHERE state = 2;

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

    ALTER TABLE stream ADD COLUMN position INTEGER;
    ALTER TABLE stream ADD COLUMN last_sequence INTEGER;
    ALTER TABLE session ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN fixes INTEGER;
    """,
    // Sessions of one boot date each other: without an index each of them is looked up among all.
    """
    CREATE INDEX session_of_boot ON session (boot_id);
    """,
    // How far each stream's sensor measures; of those recorded before it is not known.
    """
    ALTER TABLE stream ADD COLUMN measuring_range REAL;
    """,
    // What a damaged chunk had counted as lost is lost with it.
    """
    ALTER TABLE damaged ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
    """,
    // What a destination failed at is sent after everything else, and looked for at each reading.
    """
    CREATE INDEX upload_failed ON upload (destination) WHERE state = 0;
    """,
  ]

  /// Bytes of a page of a new store. A commit writes whole pages, of which a chunk fills the last
  /// one in part and the indexes a few hardly at all: with 4,096 the database was 1.72 times the
  /// chunks, and half as much again was written (`bench store`).
  static let pageSize = 512

  /// The number of samples of a chunk, for a query. A damaged row can hold any number; within these
  /// bounds they can be added up.
  static let samples = "min(max(samples, 0), 1048576)"

  /// The first version that knows boards.
  static let boardsVersion: Int64 = 3
  /// The first version that knows hazards, annotations, events and how sessions ended.
  static let notesVersion: Int64 = 4
  /// The first version that knows destinations, absent chunks and received sessions.
  static let uploadsVersion: Int64 = 5
  /// The first version that knows how far sensors measure.
  static let rangesVersion: Int64 = 7
  /// The first version that knows what damaged chunks had counted as lost.
  static let damagedLossVersion: Int64 = 8
}

extension Database {
  /// Refuses a file that is no store of ours, or one of a later version; its version otherwise.
  ///
  /// - Parameter mayBeNew: whether an empty file will do.
  func checkSchema(mayBeNew: Bool) throws(StoreError) -> Int64 {
    let version = try integer("PRAGMA user_version")
    if mayBeNew, try isUnbegun() { return 0 }
    guard try integer("PRAGMA application_id") == Schema.applicationID, try hasTables() else {
      throw .found(.notAStore, "cannot open \(path): not a footbridge store", path: path)
    }
    guard version > 0 else {
      throw .found(
        .damaged, "cannot open \(path): its schema has the impossible version \(version)",
        path: path)
    }
    guard version <= Schema.version else {
      throw .found(
        .newerSchema,
        "cannot open \(path): its schema is version \(version), known are 1 to \(Schema.version)",
        path: path)
    }
    return version
  }

  private func hasTables() throws(StoreError) -> Bool {
    try integer("SELECT count(*) FROM sqlite_schema") != 0
  }

  /// Whether the file is empty, or has nothing but what SQLite writes before the first table.
  func isUnbegun() throws(StoreError) -> Bool {
    guard try integer("PRAGMA user_version") == 0 else { return false }
    return try !hasTables()
  }

  /// Sets the size of the pages of a file that is still empty.
  func choosePageSize() throws(StoreError) {
    try execute("PRAGMA page_size = \(Schema.pageSize)", doing: "open")
  }

  /// Brings the schema from `version` to the present one, all steps or none.
  func migrate(from version: Int64) throws(StoreError) {
    guard version < Schema.version else { return }
    try transaction(doing: "prepare") { () throws(StoreError) in
      // Another command may have done it while we waited for the lock.
      let version = try integer("PRAGMA user_version")
      guard version < Schema.version else { return }
      for step in Schema.migrations[Int(version)...] { try execute(step, doing: "prepare") }
      try execute("PRAGMA application_id = \(Schema.applicationID)", doing: "prepare")
      try execute("PRAGMA user_version = \(Schema.version)", doing: "prepare")
    }
  }
}
