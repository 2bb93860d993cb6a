internal import Glibc
internal import LinuxSystem
internal import Values

/// A PostgreSQL server of the bench's own, reached only by a socket in its folder.
final class FleetServer {
  /// Seconds until a server answers: after a kill it waits for the end of its former processes, and
  /// reads its log.
  private static let patience = 60.0
  /// The user without rights: the server does not run for root.
  private static let nobody: UInt32 = 65_534

  private let folder: TemporaryFolder
  private let binaries: String
  private var process: ChildProcess?

  /// Makes an empty cluster.
  init() async throws {
    binaries = try Self.installed()
    folder = try TemporaryFolder(prefix: "footbridge-fleet")
    if getuid() == 0, unsafe chown(folder.path, Self.nobody, Self.nobody) != 0 {
      throw SystemError("give \(folder.path) to the server's user")
    }
    let output = try ChildOutput()
    let maker = try ChildProcess(
      "setpriv",
      Self.user + [
        "\(binaries)/initdb", "-D", "\(folder.path)/data", "-A", "trust", "-U", "footbridge",
        "--no-sync", "--no-locale", "-E", "UTF8",
      ], inheriting: [(output.writing.number, 1), (output.writing.number, 2)])
    let told = try await output.closeWriting().all()
    guard await maker.end() == 0 else { throw MeasurementError("initdb failed: \(told)") }
  }

  /// The folder with the programs of the latest release.
  private static func installed() throws(MeasurementError) -> String {
    let releases = "/usr/lib/postgresql"
    let names = (try? Folder.names(in: releases)) ?? []
    guard let latest = names.compactMap({ Int($0) }).max() else {
      throw MeasurementError(
        "there is no PostgreSQL server in \(releases): apt-get install postgresql")
    }
    return "\(releases)/\(latest)/bin"
  }

  private static var user: [String] {
    getuid() == 0 ? ["--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] : []
  }

  /// The address of the database.
  var address: String {
    let host = folder.path.utf8.map {
      $0 == UInt8(ascii: "/") ? "%2F" : String(UnicodeScalar($0))
    }
    return "postgres://footbridge@\(host.joined())/postgres"
  }

  /// Starts the server with these settings, and waits until it answers.
  func start(_ settings: [String] = []) async throws {
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    let usual = ["listen_addresses=", "unix_socket_directories=\(folder.path)"]
    let limit = BootClock.now().advanced(bySeconds: Self.patience)
    while limit.seconds(since: BootClock.now()) > 0 {
      // The kernel forgets the tie to this process when the user changes, hence a tie after that.
      let process = try ChildProcess(
        "setpriv",
        Self.user + ["--pdeathsig=INT", "\(binaries)/postgres", "-D", "\(folder.path)/data"]
          + (usual + settings).flatMap { ["-c", $0] },
        inheriting: [(nowhere.number, 1), (nowhere.number, 2)])
      self.process = process
      let hasEnded = Guarded(false)
      Task {
        _ = await process.end()
        hasEnded.withLock { $0 = true }
      }
      // It does not start while processes of a killed one are left, and is then started again.
      while !hasEnded.withLock({ $0 }), limit.seconds(since: BootClock.now()) > 0 {
        if (try? await query("SELECT 1")) == ["1"] { return }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    throw MeasurementError("PostgreSQL does not start within \(Int(Self.patience)) s")
  }

  /// Kills the server's main process. The others find out, and end.
  func kill() {
    process?.kill()
    process = nil
  }

  /// Ends the server in order.
  func end() async {
    // Its fast shutdown, which ends connections.
    process?.signal(SIGINT)
    _ = await process?.end()
    process = nil
  }

  /// Ends the server and removes its folder.
  func remove() async {
    await end()
    folder.remove()
  }

  /// The lines that PostgreSQL's own client answers to a statement.
  func query(_ statement: String) async throws -> [Substring] {
    let output = try ChildOutput()
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    let client = try ChildProcess(
      "\(binaries)/psql", ["-X", "-A", "-t", "-F", " ", "-c", statement, address],
      inheriting: [(output.writing.number, 1), (nowhere.number, 2)])
    let lines = try await output.closeWriting().all().split(separator: "\n")
    guard await client.end() == 0 else { throw MeasurementError("psql failed: \(statement)") }
    return lines
  }
}
