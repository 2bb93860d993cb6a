internal import Foundation
internal import LinuxSystem
public import Testing

/// A mosquitto process on this computer that serves as the tests' MQTT broker, and mosquitto's own
/// clients.
public final class Mosquitto: Sendable {
  /// Whether the broker and its clients are installed.
  public static let isInstalled = [broker, subscriber, publisher].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  /// The reason to skip a test if the broker or its clients are not installed.
  public static let absence: Comment =
    "SKIPPED: mosquitto is not installed (Debian packages mosquitto and mosquitto-clients)"

  private static let broker = "/usr/sbin/mosquitto"
  private static let subscriber = "/usr/bin/mosquitto_sub"
  private static let publisher = "/usr/bin/mosquitto_pub"

  private let folder: TemporaryFolder
  public let port: UInt16
  private let program: Guarded<Program?>

  /// Starts a broker with these additional configuration lines and files. In the lines, `FOLDER`
  /// stands for the broker's own folder, which contains the files.
  public init(
    _ lines: [String] = ["allow_anonymous true"], files: [String: String] = [:]
  ) async throws {
    folder = try TemporaryFolder(prefix: "mosquitto")
    port = try LoopbackPort.free()
    program = Guarded(nil)
    for (name, text) in files {
      try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
    }
    let user = NSUserName()
    let text = (["listener \(port) 127.0.0.1", "user \(user)", "max_inflight_messages 0"] + lines)
      .joined(separator: "\n").replacingOccurrences(of: "FOLDER", with: folder.path)
    try (text + "\n").write(
      toFile: "\(folder.path)/conf", atomically: true, encoding: .utf8)
    try await start()
  }

  /// Starts the broker, or restarts it after `kill()`.
  public func start() async throws {
    let started = try Program(Self.broker, ["-c", "\(folder.path)/conf"])
    program.withLock { $0 = started }
    try await wait(for: "mosquitto listens") { [port] in
      (try? RawConnection(port: port, within: 1)) != nil || !started.isRunning
    }
    try #require(started.isRunning)
  }

  /// Ends the broker as abruptly as a power cut.
  public func kill() async {
    let program = program.withLock { $0.take() }
    program?.signal(SIGKILL)
    _ = await program?.wait()
  }

  public var address: String { "mqtt://127.0.0.1:\(port)" }

  /// Starts mosquitto's own subscriber. For each message, it prints a line with the time in
  /// seconds, whether the message was retained, the topic and the payload.
  public func subscriber(_ topic: String = "#", _ options: String...) throws -> Program {
    try Self.subscriber(port: port, topic, options)
  }

  /// Starts mosquitto's own subscriber for another broker on this computer.
  public static func subscriber(
    port: UInt16, _ topic: String = "#", _ options: [String] = []
  ) throws -> Program {
    // If its output went to a pipe, the subscriber would write nothing until its buffer was full.
    try Program(
      "/usr/bin/stdbuf",
      ["-oL", subscriber, "-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic]
        + ["-F", "%U %r %t %p"] + options)
  }

  /// Publishes a message with mosquitto's own publisher.
  @discardableResult
  public func publish(
    _ payload: String, on topic: String, _ options: String...
  ) async throws -> Program.Outcome {
    let file = "\(folder.path)/payload-\(UUID().uuidString)"
    try Data(payload.utf8).write(to: URL(fileURLWithPath: file))
    return try await Program.run(
      Self.publisher,
      ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-r", "-t", topic] + options
        + (payload.isEmpty ? ["-n"] : ["-f", file]))
  }

  /// Runs mosquitto's password program, and returns the text of the resulting password file.
  public static func passwords(_ users: [String: String]) async throws -> String {
    let folder = try TemporaryFolder(prefix: "passwords")
    let file = folder.path + "/users"
    try Data().write(to: URL(fileURLWithPath: file))
    for (user, password) in users {
      let made = try await Program.run("/usr/bin/mosquitto_passwd", ["-b", file, user, password])
      try #require(made.status == 0, "\(made.errors)")
    }
    return try String(contentsOfFile: file, encoding: .utf8)
  }
}

/// Ports of the loopback interface.
public enum LoopbackPort {
  /// Returns a port on which no program listens. The port is below the range from which the kernel
  /// assigns ports, so no other test's connection can occupy it first.
  public static func free() throws -> UInt16 {
    for _ in 0..<100 {
      let address = ListenAddress(host: "127.0.0.1", port: .random(in: 10_000..<32_000))
      if (try? ListeningSocket(address)) != nil { return address.port }
    }
    throw SystemError("find a free port", number: EADDRINUSE)
  }
}
