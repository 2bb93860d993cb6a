internal import Glibc
internal import LinuxSystem
internal import Values

/// A fleet's database: one server, or a cluster of three. In a cluster, one server accepts writes,
/// and another must store each commit before it is acknowledged. This type does the work of a
/// cluster manager.
final class FleetCluster {
  /// Seconds that a cluster manager on the same computer needs to notice that the primary is dead.
  private static let notice = 0.2
  /// Seconds to wait until all standbys are replicating.
  private static let patience = 120.0

  private let folder: TemporaryFolder
  private let servers: [FleetServer]
  private(set) var primary: FleetServer
  /// The number of standbys that had to be recreated as full copies because they could not be
  /// rewound.
  private(set) var copies = 0

  /// Creates an empty database with `count` servers. If `disk` is set, the first server stores its
  /// data in that folder.
  init(servers count: Int, disk: String? = nil) async throws {
    folder = try TemporaryFolder(prefix: "footbridge-fleet")
    // The server's user must have access to the folder.
    _ = unsafe chmod(folder.path, 0o755)
    servers = try (0..<count).map { [folder] number in
      let path = number == 0 ? disk ?? "\(folder.path)/db0" : "\(folder.path)/db\(number)"
      try Folder.make(path)
      return try FleetServer("db\(number)", in: path)
    }
    primary = servers[0]
    try await primary.make()
  }

  /// The database's address, which lists all servers.
  var address: String {
    "postgres://footbridge@\(servers.map(\.host).joined(separator: ","))/postgres"
  }

  var standbys: [FleetServer] { servers.filter { $0 !== primary } }

  /// Starts the cluster's only server with these settings.
  func startAlone(_ settings: [String]) async throws { try await primary.start(settings) }

  /// Starts all servers. The standbys are copies of the first server.
  func start() async throws {
    await primary.end()
    try configure(primary)
    try await primary.start()
    for standby in standbys {
      try await standby.copy(primary)
      try configure(standby)
      try await standby.start()
    }
    try await waitUntilWhole()
  }

  private func configure(_ server: FleetServer) throws {
    guard servers.count > 1 else { return }
    let names = servers.map(\.name).joined(separator: ", ")
    try server.set([
      // All servers get the same list of standbys, which includes the server itself. A server never
      // waits for itself.
      "synchronous_standby_names = 'ANY 1 (\(names))'",
      "primary_conninfo = 'host=\(primary.folder) user=footbridge application_name=\(server.name)'",
      // Keep enough of the log for standbys that were down.
      "wal_keep_size = 1GB", "wal_retrieve_retry_interval = 200ms",
      // Spread checkpoints over a long time so that they do not delay commits.
      "max_wal_size = 8GB", "checkpoint_timeout = 15min",
    ])
  }

  // MARK: Faults

  /// Restarts a killed server in its previous role.
  func restart(_ server: FleetServer) async throws {
    try await server.start()
    try await waitUntilWhole()
  }

  /// Promotes a standby to replace the killed primary.
  ///
  /// Each commit needs confirmation from one standby. If both standbys are running, the one with
  /// the longer log therefore has all acknowledged commits. With only one standby running, this
  /// would be uncertain.
  func failOver() async throws {
    try await Task.sleep(for: .seconds(Self.notice))
    var best: (server: FleetServer, received: Int)?
    for standby in standbys {
      let received = try await standby.number(
        "SELECT (pg_last_wal_receive_lsn() - '0/0'::pg_lsn)::bigint")
      if received > best?.received ?? -1 { best = (standby, received) }
    }
    guard let best else { throw MeasurementError("no standby is running") }
    primary = best.server
    guard try await primary.query("SELECT pg_promote(true, 30)") == ["t"] else {
      throw MeasurementError("the standby \(primary.name) was not promoted")
    }
    for standby in standbys { try configure(standby) }
  }

  /// Turns a former primary into a standby of the current primary.
  func bringBack(_ server: FleetServer) async throws {
    // pg_rewind reads the new timeline from a file that is written at a checkpoint.
    try await primary.query("CHECKPOINT")
    do {
      try await server.rewind(to: primary)
    } catch {
      copies += 1
      try await server.copy(primary)
    }
    try configure(server)
    try await server.start()
    try await waitUntilWhole()
  }

  /// Waits until all standbys are replicating from the primary.
  func waitUntilWhole() async throws {
    let limit = BootClock.now().advanced(bySeconds: Self.patience)
    while limit.seconds(since: BootClock.now()) > 0 {
      let following = try? await primary.number(
        "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
      if following ?? 0 >= standbys.count { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw MeasurementError("the standbys do not follow \(primary.name)")
  }

  /// Waits until all standbys have all of the primary's data.
  func waitUntilEqual() async throws {
    let limit = BootClock.now().advanced(bySeconds: Self.patience)
    let end = try await primary.query("SELECT pg_current_wal_lsn()").first ?? "0/0"
    for standby in standbys {
      while try await standby.query("SELECT pg_last_wal_replay_lsn() >= '\(end)'") != ["t"] {
        guard limit.seconds(since: BootClock.now()) > 0 else {
          throw MeasurementError("\(standby.name) does not catch up")
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  // MARK: Sizes

  /// Returns the total number of bytes written to the primary's log.
  func logBytes() async throws -> Int {
    try await primary.number("SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint")
  }

  /// Returns the size in bytes of all tables and their indexes.
  func tableBytes() async throws -> Int {
    try await primary.number("SELECT pg_database_size('postgres')")
  }

  /// Returns the size in bytes of the tables that store the chunks' bodies. These tables can be
  /// dropped once the bodies are stored elsewhere.
  func bodyBytes() async throws -> Int {
    try await primary.number(
      """
      SELECT coalesce(sum(pg_total_relation_size(tablename::regclass)), 0)::bigint FROM pg_tables
      WHERE tablename LIKE 'body\\_%'
      """)
  }

  /// Shuts all servers down and removes them.
  func remove() async {
    for server in servers where server !== primary { await server.end() }
    await primary.end()
    folder.remove()
  }
}
