internal import Glibc
internal import LinuxSystem
internal import Sharing
internal import Values

/// The broker that `bench live` uses: a single node, or a cluster of three nodes.
final class LiveCarrier {
  private let folder: TemporaryFolder
  private var processes: [ChildProcess] = []
  let hosts: [BrokerAddress.Host]

  /// Starts a broker. `isReady` checks whether all nodes accept clients.
  init(
    _ carrier: LiveOptions.Carrier, until isReady: ([BrokerAddress.Host]) async -> Bool
  ) async throws {
    folder = try TemporaryFolder(prefix: "footbridge-live")
    // These ports are below the kernel's ephemeral range, so the kernel does not assign them to
    // other connections.
    func port() -> UInt16 { .random(in: 10_000..<32_000) }
    func write(_ text: String, _ name: String) throws -> String {
      let path = "\(folder.path)/\(name)"
      let file = try DurableFile(path)
      let bytes = Array(text.utf8)
      try file.write(bytes.span)
      try file.commit(replaces: true)
      return path
    }
    let nodes = carrier == .nats ? 3 : 1
    let ports = (0..<nodes).map { _ in port() }
    hosts = ports.map { BrokerAddress.Host(name: "127.0.0.1", port: $0) }
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    func start(_ program: String, _ arguments: [String]) throws {
      processes.append(
        try ChildProcess(
          program, arguments,
          inheriting: [(nowhere.number, 1), (nowhere.number, 2)]))
    }
    switch carrier {
    case .mosquitto:
      let file = try write(
        """
        listener \(ports[0]) 127.0.0.1
        user root
        allow_anonymous true
        max_queued_messages 0

        """, "mosquitto.conf")
      try start("/usr/sbin/mosquitto", ["-c", file])
    case .nats:
      let routes = (0..<nodes).map { _ in port() }
      let joined = routes.map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
      for node in 0..<nodes {
        let file = try write(
          """
          server_name: n\(node)
          listen: 127.0.0.1:\(port())
          max_connections: 20000
          jetstream { store_dir: "\(folder.path)/\(node)" }
          cluster { name: c, listen: 127.0.0.1:\(routes[node]), routes: [\(joined)] }
          mqtt { listen: 127.0.0.1:\(ports[node]) }
          """, "\(node).conf")
        try start("nats-server", ["-c", file])
      }
    }
    let limit = BootClock.now().advanced(bySeconds: 120)
    while !(await isReady(hosts)) {
      guard BootClock.now() < limit else {
        remove()
        throw MeasurementError(
          "the broker did not start: is \(carrier == .nats ? "nats-server" : "mosquitto") installed?"
        )
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  func kill(_ node: Int) {
    processes[node].kill()
  }

  /// Stops all nodes and removes the folder.
  func remove() {
    for process in processes { process.kill() }
    processes = []
    folder.remove()
  }
}
