internal import Glibc
internal import LinuxSystem
internal import Values

/// A private PostgreSQL server, accessible only through a socket in its folder.
final class FleetServer {
  /// Seconds to wait for a server to start. After a kill, the server waits for its old processes to
  /// end and replays its log.
  private static let patience = 60.0
  /// An unprivileged user, because PostgreSQL does not run as root.
  private static let nobody: UInt32 = 65_534

  /// The server's name in a primary's list of synchronous standbys.
  let name: String
  /// The folder with the data and the socket.
  let folder: String
  private let binaries: String
  private var process: ChildProcess?

  /// Creates a server with this name in an existing folder that no other server uses.
  init(_ name: String, in folder: String) throws {
    self.name = name
    self.folder = folder
    binaries = try Self.installed()
    if getuid() == 0, unsafe chown(folder, Self.nobody, Self.nobody) != 0 {
      throw SystemError("change the owner of \(folder) to the server's user")
    }
  }

  /// Returns the program folder of the newest installed PostgreSQL release.
  private static func installed() throws(MeasurementError) -> String {
    let releases = "/usr/lib/postgresql"
    let names = (try? Folder.names(in: releases)) ?? []
    guard let latest = names.compactMap({ Int($0) }).max() else {
      throw MeasurementError(
        "there is no PostgreSQL server in \(releases): run bash .ci/setup --servers")
    }
    return "\(releases)/\(latest)/bin"
  }

  /// The command prefix that runs a program as the server's user. The kernel clears the
  /// parent-death signal when the user changes, so it is set afterwards.
  static func words(signal: String = "INT") -> [String] {
    let user =
      getuid() == 0 ? ["--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups"] : []
    return user + ["--pdeathsig=\(signal)"]
  }

  /// The server's host in a PostgreSQL address.
  var host: String {
    folder.utf8.map { $0 == UInt8(ascii: "/") ? "%2F" : String(UnicodeScalar($0)) }.joined()
  }

  var isRunning: Bool { process.map { ProcessorClock.nanoseconds(of: $0.id) != nil } ?? false }

  private var data: String { "\(folder)/data" }

  // MARK: Data

  /// Creates an empty database.
  func make() async throws {
    try await run(
      "\(binaries)/initdb",
      [
        "-D", data, "-A", "trust", "-U", "footbridge", "--data-checksums", "--no-sync",
        "--no-locale", "-E", "UTF8",
      ])
    // Each copy of the server has its own settings file next to its data.
    try append("include_if_exists '../node.conf'\n", to: "\(data)/postgresql.conf")
  }

  /// Copies another server and becomes its standby.
  func copy(_ primary: FleetServer) async throws {
    try await run("/bin/rm", ["-rf", data])
    try await run(
      "\(binaries)/pg_basebackup",
      ["-D", data, "-h", primary.folder, "-U", "footbridge", "--checkpoint=fast"])
    try stand()
  }

  /// Discards data that the new primary does not have, and turns this server into its standby.
  func rewind(to primary: FleetServer) async throws {
    try await run(
      "\(binaries)/pg_rewind",
      [
        "-D", data, "--source-server",
        "host=\(primary.folder) user=footbridge dbname=postgres",
      ])
    try stand()
  }

  private func stand() throws { try write("", to: "\(data)/standby.signal") }

  /// Replaces the server's additional settings. If the server is running, it reloads them.
  func set(_ settings: [String]) throws {
    try write(settings.map { $0 + "\n" }.joined(), to: "\(folder)/node.conf")
    process?.signal(SIGHUP)
  }

  private func write(_ text: String, to path: String) throws {
    let file = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
    try file.writeAll(Array(text.utf8).span, to: path)
    if getuid() == 0 { _ = unsafe chown(path, Self.nobody, Self.nobody) }
  }

  private func append(_ text: String, to path: String) throws {
    let file = try OwnedDescriptor.open(path, flags: O_WRONLY | O_APPEND)
    try file.writeAll(Array(text.utf8).span, to: path)
  }

  /// Runs a program as the server's user.
  private func run(_ program: String, _ arguments: [String]) async throws {
    let output = try ChildOutput()
    let child = try ChildProcess(
      "setpriv", Self.words() + [program] + arguments,
      inheriting: [(output.writing.number, 1), (output.writing.number, 2)])
    let told = try await output.closeWriting().all()
    guard await child.end() == 0 else { throw MeasurementError("\(program) failed: \(told)") }
  }

  // MARK: Life

  /// Starts the server with these settings and waits until it accepts connections.
  func start(_ settings: [String] = []) async throws {
    let usual = ["listen_addresses=", "unix_socket_directories=\(folder)"]
    let limit = BootClock.now().advanced(bySeconds: Self.patience)
    while limit.seconds(since: BootClock.now()) > 0 {
      let log = try OwnedDescriptor.open("\(folder)/log", flags: O_WRONLY | O_CREAT | O_APPEND)
      let process = try ChildProcess(
        "setpriv",
        Self.words() + ["\(binaries)/postgres", "-D", data]
          + (usual + settings).flatMap { ["-c", $0] },
        inheriting: [(log.number, 1), (log.number, 2)])
      self.process = process
      // A server does not start while processes of its killed predecessor remain, so try again.
      while isRunning, limit.seconds(since: BootClock.now()) > 0 {
        if (try? await query("SELECT 1")) == ["1"] { return }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    let log = (WholeFile.text("\(folder)/log") ?? "").split(separator: "\n").suffix(20)
    throw MeasurementError(
      "PostgreSQL did not start within \(Int(Self.patience)) s: " + log.joined(separator: "\n"))
  }

  /// Kills all of the server's processes at once, as if its computer had failed.
  func kill() {
    guard let process else { return }
    // A stopped process cannot fork, so stop all processes before killing them.
    process.signal(SIGSTOP)
    let children = WholeFile.text("/proc/\(process.id)/task/\(process.id)/children") ?? ""
    for child in children.split(separator: " ").compactMap({ Int32($0) }) {
      _ = Glibc.kill(child, SIGKILL)
    }
    process.kill()
    self.process = nil
  }

  func end() async {
    // SIGINT requests a fast shutdown, which closes open connections.
    process?.signal(SIGINT)
    _ = await process?.end()
    process = nil
  }

  /// Runs an SQL statement in psql and returns the output lines.
  @discardableResult
  func query(_ statement: String) async throws -> [Substring] {
    let output = try ChildOutput()
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    let client = try ChildProcess(
      "\(binaries)/psql",
      [
        "-X", "-A", "-t", "-F", " ", "-c", statement,
        "postgres://footbridge@\(host)/postgres?connect_timeout=3",
      ], inheriting: [(output.writing.number, 1), (nowhere.number, 2)])
    let lines = try await output.closeWriting().all().split(separator: "\n")
    guard await client.end() == 0 else { throw MeasurementError("psql failed: \(statement)") }
    return lines
  }

  func number(_ statement: String) async throws -> Int {
    let line = try await query(statement).first
    guard let number = line.flatMap({ Int($0) }) else {
      throw MeasurementError("psql printed '\(line ?? "")' for \(statement)")
    }
    return number
  }
}
