internal import Foundation
internal import LinuxSystem
public import Testing

/// A PostgreSQL server on this computer, with its data in memory if there is enough space. All
/// tests share one server, but each uses its own database.
public final class PostgresServer: Sendable {
  /// Whether a server is installed.
  public static let isInstalled = binaries != nil
  /// The reason to skip a test if no server is installed.
  public static let absence: Comment =
    "SKIPPED: PostgreSQL's server is not installed: bash .ci/setup --servers"

  /// The folder that contains the programs of the newest installed release.
  private static let binaries: String? = {
    let releases = "/usr/lib/postgresql"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: releases)) ?? []
    return names.compactMap(Int.init).max().map { "\(releases)/\($0)/bin" }
  }()

  /// The user under which the server runs, because it refuses to run as root.
  private static let user =
    geteuid() == 0 ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []

  private static let shared = Guarded<Task<PostgresServer, any Error>?>(nil)

  /// The server that all tests share.
  public static func running() async throws -> PostgresServer {
    let task = shared.withLock { shared in
      let task = shared ?? Task { try await PostgresServer() }
      shared = task
      return task
    }
    return try await task.value
  }

  private let folder: String
  private let settings: [String]
  private let process: Guarded<ChildProcess?> = Guarded(nil)

  /// Starts a server with these settings, in addition to the settings that every server has.
  public init(_ settings: [String] = []) async throws {
    let binaries = try #require(Self.binaries)
    folder = FileManager.default.temporaryDirectory.path + "/pg-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    if geteuid() == 0 { try #require(unsafe chown(folder, 65_534, 65_534) == 0) }
    let made = try await Program.run(
      "/usr/bin/setpriv",
      Self.user + [
        "\(binaries)/initdb", "-D", "\(folder)/data", "-A", "trust", "-U", "footbridge",
        "--no-sync", "--no-locale", "-E", "UTF8",
      ])
    try #require(made.status == 0, "initdb: \(made.output)\(made.errors)")
    self.settings = settings
    try await start()
  }

  /// Starts the server, or restarts it after `kill()`.
  public func start() async throws {
    let binaries = try #require(Self.binaries)
    // The server listens only on a socket in this folder, so that no other server can take its
    // place.
    let usual = [
      "listen_addresses=", "unix_socket_directories=\(folder)", "fsync=off", "shared_buffers=16MB",
      "max_connections=60",
    ]
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    // The kernel clears the parent-death signal when the user changes, so the signal is set again
    // afterwards.
    let started = try ChildProcess(
      "setpriv",
      Self.user + ["--pdeathsig=INT", "\(binaries)/postgres", "-D", "\(folder)/data"]
        + (usual + settings).flatMap { ["-c", $0] },
      inheriting: [(nowhere.number, 1), (nowhere.number, 2)])
    process.withLock { $0 = started }
    try await wait(for: "PostgreSQL answers") { [address = address(of: "postgres")] in
      try await Self.query(address, "SELECT 1").status == 0
    }
  }

  /// Ends the server so abruptly that no client gets a response.
  public func kill() async {
    let process = process.withLock { $0.take() }
    process?.signal(SIGQUIT)
    _ = await process?.end()
  }

  /// Suspends the server's processes, as if the machine hung.
  public func freeze() { signal(SIGSTOP) }

  /// Resumes the server's processes.
  public func thaw() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    guard let id = process.withLock({ $0?.id }) else { return }
    let path = "/proc/\(id)/task/\(id)/children"
    let children = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    for process in [id] + children.split(separator: " ").compactMap({ Int32($0) }) {
      Glibc.kill(process, number)
    }
  }

  /// Returns the address of a database, with additional parameters.
  public func address(of database: String, _ parameters: String = "") -> String {
    let host = folder.utf8.map { $0 == UInt8(ascii: "/") ? "%2F" : String(UnicodeScalar($0)) }
    return "postgres://footbridge@\(host.joined())/\(database)" + parameters
  }

  /// Creates a database and returns its address.
  public func database() async throws -> String {
    let name = "t" + String(UInt64.random(in: 0 ... .max), radix: 36)
    let made = try await Self.query(address(of: "postgres"), "CREATE DATABASE \(name)")
    try #require(made.status == 0, "\(made.errors)")
    return address(of: name)
  }

  /// Runs one of PostgreSQL's own programs.
  public static func run(_ program: String, _ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run("\(#require(Self.binaries))/\(program)", arguments)
  }

  /// Runs SQL with PostgreSQL's own client, whose output contains one line per row.
  @discardableResult
  public static func query(_ address: String, _ sql: String) async throws -> Program.Outcome {
    try await run("psql", ["-X", "-A", "-t", "-c", sql, address])
  }
}
