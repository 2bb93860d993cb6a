public import Recording
internal import UploadProtocol
internal import Values

/// Connects to a fleet's database, and manages its tables, gateways and tokens. It must be used by
/// one thread only.
public final class FleetDatabase {
  let connection: PostgresConnection
  private let address: String

  /// Connects to the database at a PostgreSQL address, such as `postgres://a,b,c/walks`. `limit` is
  /// the maximum time to wait for each reply, in seconds.
  public init(_ address: String, limit: Double = 12) throws(StoreError) {
    self.address = address
    do {
      connection = try PostgresConnection(address, limit: limit)
    } catch {
      var fault = StoreError(error, doing: "reach")
      if error.kind == .noDatabase, let command = Self.creation(of: address) {
        fault.remedy = "correct its name in the address, or create it: \(command)"
      }
      throw fault
    }
  }

  /// Returns the command that creates or updates a database's tables.
  static func migration(of address: String? = nil) -> String {
    "footbridge-fleet migrate --database \(address.map(shown) ?? "ADDRESS")"
  }

  /// Returns an address for display in a command. If the address has a password or characters that
  /// are special in a shell, returns `ADDRESS` instead.
  public static func shown(_ address: String) -> String { isPlain(address) ? address : "ADDRESS" }

  /// Returns the command that creates the database at an address. Returns `nil` if the address has
  /// no database name or cannot be shown.
  private static func creation(of address: String) -> String? {
    guard isPlain(address), let scheme = address.firstRange(ofText: "://"),
      let slash = address[scheme.upperBound...].lastIndex(of: "/")
    else { return nil }
    let name = address[address.index(after: slash)...]
    guard !name.isEmpty else { return nil }
    return "createdb --maintenance-db=\(address[...slash])postgres \(name)"
  }

  private static func isPlain(_ address: String) -> Bool {
    harmless(address) == address
      && address.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "@"),
          UInt8(ascii: "%"), UInt8(ascii: ","):
          true
        default: false
        }
      }
  }

  public static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  /// Returns an address without its password and parameters, for display.
  public static func harmless(_ address: String) -> String {
    guard let scheme = address.firstRange(ofText: "://") else { return address }
    let rest = address[scheme.upperBound...].prefix { $0 != "?" }
    let authority = rest.prefix { $0 != "/" }
    let path = rest[authority.endIndex...]
    let host = authority.lastIndex(of: "@").map { authority[$0...] } ?? authority
    let user = host.first == "@" ? authority.prefix { $0 != ":" && $0 != "@" } : ""
    return "\(address[..<scheme.upperBound])\(user)\(host)\(path)"
  }

  func doing<Result>(
    _ what: String, _ body: () throws(PostgresError) -> Result
  ) throws(StoreError) -> Result {
    do {
      return try body()
    } catch {
      throw StoreError(error, doing: what)
    }
  }

  // MARK: The version of the tables

  /// Returns the tables' version; 0 if there are no tables.
  public func version() throws(StoreError) -> Int64 {
    do {
      return try connection.run("SELECT version FROM footbridge").integer(0, 0) ?? 0
    } catch {
      guard error.kind == .missing else { throw StoreError(error, doing: "read") }
      return 0
    }
  }

  /// Throws unless the tables have the version that this program requires.
  public func checkVersion() throws(StoreError) {
    let version = try version()
    if version > FleetSchema.version {
      throw StoreError(
        .newerSchema,
        "the fleet's database has version \(version), but this program supports "
          + "\(FleetSchema.version)", remedy: "use the later release of footbridge that created it")
    }
    guard version == FleetSchema.version else {
      throw StoreError(
        .cannotOpen,
        version == 0
          ? "the fleet's database has no tables yet"
          : "the fleet's database has version \(version), but this program needs "
            + "\(FleetSchema.version)",
        remedy: "create or update the tables: " + Self.migration(of: address))
    }
  }

  /// Creates the tables, or updates them to this program's version. Returns the versions before and
  /// after the update. A second call changes nothing.
  ///
  /// If several programs migrate at once, one does the work and the others wait.
  public func migrate() throws(StoreError) -> (before: Int64, after: Int64) {
    try makeVersion()
    if try version() > FleetSchema.version { try checkVersion() }
    let versions = try doing("migrate") { () throws(PostgresError) in
      try connection.transaction { () throws(PostgresError) in
        // Updating a large table may take a long time.
        try connection.send("SET LOCAL statement_timeout = 0")
        // The program that locks the row with the version runs the migration.
        let before =
          try connection.send("SELECT version FROM footbridge FOR UPDATE").integer(0, 0) ?? 0
        for step in FleetSchema.steps.dropFirst(Int(clamping: before)) {
          for statement in step { _ = try connection.send(statement) }
        }
        let after = max(before, FleetSchema.version)
        try connection.send("UPDATE footbridge SET version = $1", [.integer(after)])
        return (before, after)
      }
    }
    try fillFigures()
    return versions
  }

  /// Computes the missing summaries of records that an older release received.
  private func fillFigures() throws(StoreError) {
    var last = [UniqueID(high: 0, low: 0), UniqueID(high: 0, low: 0)]
    try doing("migrate") { () throws(PostgresError) in
      while true {
        // Read only a few records at a time, because a record can be 7 MB long.
        let rows = try connection.run(
          """
          SELECT session.gateway, session.id, record.content FROM session JOIN record
            ON record.gateway = session.gateway AND record.session = session.id
          WHERE (session.gateway, session.id) > ($1, $2) AND session.record_bytes IS NULL
          ORDER BY session.gateway, session.id LIMIT 4
          """, last.map { .id($0) })
        for row in 0..<rows.count {
          guard let gateway = rows.id(row, 0), let id = rows.id(row, 1),
            let content = rows.bytes(row, 2)
          else { continue }
          last = [gateway, id]
          // Skip a damaged record; it is reported when it is listed.
          guard let record = try? SessionRecord(decoding: content) else { continue }
          try note(RecordSummary(of: record), of: content.count, gateway, id)
        }
        if rows.count == 0 { return }
      }
    }
  }

  private func note(
    _ figures: RecordSummary, of bytes: Int, _ gateway: UniqueID, _ session: UniqueID
  ) throws(PostgresError) {
    try connection.run(
      """
      UPDATE session SET (\(RecordSummary.columns.joined(separator: ", "))) =
        ($3, $4, $5, $6, $7, $8, $9)
      WHERE gateway = $1 AND id = $2 AND record_bytes IS NULL
      """, [.id(gateway), .id(session)] + figures.values(recordBytes: bytes))
  }

  /// Creates the table that stores the version. If two programs do this at once, the error that one
  /// of them gets is ignored.
  private func makeVersion() throws(StoreError) {
    guard try version() == 0 else { return }
    do {
      try connection.run(
        "CREATE TABLE IF NOT EXISTS footbridge (one bigint PRIMARY KEY, version bigint NOT NULL)")
    } catch {
      guard error.isMadeMeanwhile else { throw StoreError(error, doing: "migrate") }
    }
    try doing("migrate") { () throws(PostgresError) in
      _ = try connection.run("INSERT INTO footbridge VALUES (1, 0) ON CONFLICT DO NOTHING")
    }
  }
}
