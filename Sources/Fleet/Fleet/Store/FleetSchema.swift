/// The tables of a fleet, in the SQL that PostgreSQL shares with compatible engines: no advisory
/// locks, no notifications, no declarative partitions. The gateway comes first in every key, so
/// that a distributed engine can divide the rows by gateway.
enum FleetSchema {
  /// The version of the tables that this program uses.
  static let version: Int64 = 3

  /// The statements that lead to each version, the first to version 1. A released statement is
  /// never changed.
  static let steps: [[String]] = [
    [
      "CREATE TABLE gateway (id uuid PRIMARY KEY, name text NOT NULL, "
        + "made timestamptz NOT NULL DEFAULT now(), seen timestamptz)",
      // Only the hash of a token is stored. A token without a gateway is a reader's.
      "CREATE TABLE token (hash bytea PRIMARY KEY, gateway uuid, name text NOT NULL, "
        + "made timestamptz NOT NULL DEFAULT now(), revoked timestamptz)",
      // `touched` is the time of the last activity.
      "CREATE TABLE session (gateway uuid, id uuid, boot uuid, has_record boolean NOT NULL, "
        + "touched timestamptz NOT NULL, PRIMARY KEY (gateway, id))",
      "CREATE TABLE stream (gateway uuid, session uuid, board bigint, signal text, "
        + "settings text NOT NULL, range double precision, "
        + "PRIMARY KEY (gateway, session, board, signal))",
      // `day` names the table with the bytes.
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
      // The start of a session by its record, else 0: to find the newest of all.
      "ALTER TABLE session ADD COLUMN start_ns bigint NOT NULL DEFAULT 0",
      "CREATE INDEX session_start ON session (start_ns)",
      // Sealed sessions: `open` while something of the session may have to be sealed.
      "ALTER TABLE session ADD COLUMN open boolean NOT NULL DEFAULT true",
      "CREATE INDEX session_open ON session (gateway, id) WHERE open",
      // A session has one object, and another for data that arrived after it was sealed.
      "CREATE TABLE object (gateway uuid, session uuid, number bigint, name text NOT NULL, "
        + "size bigint NOT NULL, chunks bigint NOT NULL, "
        + "made timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (gateway, session, number))",
      // The number of the object with the bytes of a chunk, NULL while they are in the table of
      // their day, and their place in the object.
      "ALTER TABLE chunk ADD COLUMN object bigint",
      "ALTER TABLE chunk ADD COLUMN place bigint",
      "ALTER TABLE chunk ADD COLUMN length bigint",
      "CREATE INDEX chunk_unsealed ON chunk (day) WHERE object IS NULL",
      // The upload server that seals a session until a time, or the fault that delays it until
      // then.
      "CREATE TABLE sealing (gateway uuid, session uuid, receiver uuid NOT NULL, "
        + "ends timestamptz NOT NULL, fault text, PRIMARY KEY (gateway, session))",
      // The last message of each kind of each gateway; empty once it is deleted. `received` is the
      // arrival at an upload server by the database's clock, `saved` the time of writing.
      "CREATE TABLE live (gateway uuid, kind text, content text NOT NULL, sent_ns bigint NOT NULL, "
        + "is_direct boolean NOT NULL, received timestamptz NOT NULL, saved timestamptz NOT NULL, "
        + "PRIMARY KEY (gateway, kind))",
    ],
    [
      // The figures of a session in lists (`RecordSummary`). `fleet migrate` fills them in for
      // older records.
      "ALTER TABLE session ADD COLUMN outline bytea, ADD COLUMN boards bigint, "
        + "ADD COLUMN samples bigint, ADD COLUMN lost bigint, ADD COLUMN listed bigint, "
        + "ADD COLUMN end_ns bigint, ADD COLUMN record_bytes bigint",
      // `start_ns` is the order of lists. An implausible start is replaced by the time at which the
      // record arrived.
      "UPDATE session SET start_ns = (extract(epoch FROM touched) * 1000000)::bigint * 1000 "
        + "WHERE start_ns > (extract(epoch FROM now()) * 1000000)::bigint * 1000 + "
        + "86400000000000",
      "CREATE INDEX session_latest ON session (gateway, start_ns)",
    ],
  ]

  /// The table with the bytes of the chunks that arrived on a day, such as 20261126. It is dropped
  /// as a whole when all of its sessions are kept elsewhere: deleting row by row would rewrite it.
  static func bodies(of day: Int64) -> String { "body_\(day)" }

  /// The statement that creates such a table. The bytes are compressed already.
  static func makeBodies(of day: Int64) -> String {
    "CREATE TABLE IF NOT EXISTS \(bodies(of: day)) (gateway uuid, id uuid, bytes bytea NOT NULL, "
      + "PRIMARY KEY (gateway, id))"
  }
}
