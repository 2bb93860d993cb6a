/// Defines a fleet's tables, in the SQL dialect that PostgreSQL shares with compatible engines: no
/// advisory locks, notifications or declarative partitions. Except for tokens, every key begins
/// with the gateway, so that a distributed engine can partition the rows by gateway.
enum FleetSchema {
  /// The table version that this program requires.
  static let version: Int64 = 3

  /// The statements that upgrade the tables to each version, starting with version 1. A released
  /// statement must never change.
  static let steps: [[String]] = [
    [
      "CREATE TABLE gateway (id uuid PRIMARY KEY, name text NOT NULL, "
        + "made timestamptz NOT NULL DEFAULT now(), seen timestamptz)",
      // A token's hash is stored, not the token itself. A token without a gateway belongs to a
      // reader.
      "CREATE TABLE token (hash bytea PRIMARY KEY, gateway uuid, name text NOT NULL, "
        + "made timestamptz NOT NULL DEFAULT now(), revoked timestamptz)",
      // `touched` is the time at which the session was last active.
      "CREATE TABLE session (gateway uuid, id uuid, boot uuid, has_record boolean NOT NULL, "
        + "touched timestamptz NOT NULL, PRIMARY KEY (gateway, id))",
      "CREATE TABLE stream (gateway uuid, session uuid, board bigint, signal text, "
        + "settings text NOT NULL, range double precision, "
        + "PRIMARY KEY (gateway, session, board, signal))",
      // `day` identifies the table that contains the chunk's bytes.
      "CREATE TABLE chunk (gateway uuid, id uuid, session uuid NOT NULL, board bigint NOT NULL, "
        + "signal text NOT NULL, sequence bigint NOT NULL, samples bigint NOT NULL, "
        + "lost bigint NOT NULL, first_ns bigint NOT NULL, hash bytea NOT NULL, "
        + "day bigint NOT NULL, PRIMARY KEY (gateway, id), "
        + "UNIQUE (gateway, session, board, signal, sequence))",
      "CREATE TABLE record (gateway uuid, session uuid, content bytea NOT NULL, "
        + "PRIMARY KEY (gateway, session))",
      "CREATE TABLE track (gateway uuid, session uuid, first bigint, fixes bigint NOT NULL, "
        + "content bytea NOT NULL, PRIMARY KEY (gateway, session, first))",
    ],
    [
      // A session's start according to its record, or 0 if unknown. Used to find the newest
      // sessions.
      "ALTER TABLE session ADD COLUMN start_ns bigint NOT NULL DEFAULT 0",
      "CREATE INDEX session_start ON session (start_ns)",
      // `open` is set while a session may still have data to seal.
      "ALTER TABLE session ADD COLUMN open boolean NOT NULL DEFAULT true",
      "CREATE INDEX session_open ON session (gateway, id) WHERE open",
      // A session has one object, plus one for each batch of data that arrived after sealing.
      "CREATE TABLE object (gateway uuid, session uuid, number bigint, name text NOT NULL, "
        + "size bigint NOT NULL, chunks bigint NOT NULL, "
        + "made timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (gateway, session, number))",
      // The number of the object that contains a chunk's bytes, and their position in the object.
      // NULL while the bytes are in a day's table.
      "ALTER TABLE chunk ADD COLUMN object bigint",
      "ALTER TABLE chunk ADD COLUMN place bigint",
      "ALTER TABLE chunk ADD COLUMN length bigint",
      "CREATE INDEX chunk_unsealed ON chunk (day) WHERE object IS NULL",
      // The upload server that holds the lease on a session until the time `ends`. After a fault,
      // the reason why sealing is postponed until that time.
      "CREATE TABLE sealing (gateway uuid, session uuid, receiver uuid NOT NULL, "
        + "ends timestamptz NOT NULL, fault text, PRIMARY KEY (gateway, session))",
      // The last message of each kind from each gateway; empty after deletion. `received` is the
      // time at which the message arrived at an upload server, by the database's clock. `saved` is
      // the time at which it was written.
      "CREATE TABLE live (gateway uuid, kind text, content text NOT NULL, sent_ns bigint NOT NULL, "
        + "is_direct boolean NOT NULL, received timestamptz NOT NULL, saved timestamptz NOT NULL, "
        + "PRIMARY KEY (gateway, kind))",
    ],
    [
      // The summary of a session that is shown in lists (`RecordSummary`). The migration fills in
      // these columns for older records.
      "ALTER TABLE session ADD COLUMN outline bytea, ADD COLUMN boards bigint, "
        + "ADD COLUMN samples bigint, ADD COLUMN lost bigint, ADD COLUMN listed bigint, "
        + "ADD COLUMN end_ns bigint, ADD COLUMN record_bytes bigint",
      // Lists are sorted by `start_ns`. If the start is implausible, the time at which the record
      // arrived is stored instead.
      "UPDATE session SET start_ns = (extract(epoch FROM touched) * 1000000)::bigint * 1000 "
        + "WHERE start_ns > (extract(epoch FROM now()) * 1000000)::bigint * 1000 + "
        + "86400000000000",
      "CREATE INDEX session_latest ON session (gateway, start_ns)",
    ],
  ]

  /// Returns the name of the table that stores the bytes of the chunks that arrived on one day,
  /// such as 20261126. Once all its chunks are in objects, the table is dropped as a whole, because
  /// deleting single rows would rewrite the table.
  static func bodies(of day: Int64) -> String { "body_\(day)" }

  /// Returns the statement that creates a day's table unless the table already exists.
  static func makeBodies(of day: Int64) -> String {
    "CREATE TABLE IF NOT EXISTS \(bodies(of: day)) (gateway uuid, id uuid, bytes bytea NOT NULL, "
      + "PRIMARY KEY (gateway, id))"
  }
}
