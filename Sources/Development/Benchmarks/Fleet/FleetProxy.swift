internal import Glibc
internal import LinuxSystem
internal import Values

/// Runs haproxy in front of the receivers, as described in docs/fleet.md. Each response names the
/// receiver that sent it.
final class FleetProxy {
  /// Seconds to wait until a receiver responds through the proxy.
  private static let patience = 20.0

  let port: UInt16
  private let program: String
  private let configuration: String
  private let log: String
  private var process: ChildProcess?

  /// Creates a proxy for receivers with these names and ports, and for up to this many gateway
  /// connections. Stores the proxy's settings and log in a folder.
  init(
    _ receivers: [(name: String, port: UInt16)], connections: Int, in folder: String
  ) async throws {
    guard let program = Self.program else {
      throw MeasurementError("haproxy is not installed: run bash .ci/setup --servers")
    }
    self.program = program
    port = try TCPListener().port
    configuration = "\(folder)/haproxy.cfg"
    log = "\(folder)/haproxy.log"
    let text =
      """
      global
        maxconn \(connections)
        nbthread 1

      defaults
        mode http
        timeout connect 1s
        timeout client 60s
        timeout http-keep-alive 60s
        # A receiver waits up to 12 s for its database.
        timeout server 20s
        timeout queue 5s
        retries 3
        option redispatch 1
        # A chunk that arrives twice is stored once.
        retry-on conn-failure empty-response
        http-reuse always

      frontend gateways
        bind 127.0.0.1:\(port)
        default_backend receivers

      backend receivers
        balance roundrobin
        option httpchk GET /v1/
        http-check expect status 401
        http-response set-header Footbridge-Receiver %s
        default-server check inter 500ms fall 2 rise 1 observe layer4 error-limit 1 on-error mark-down
        # A receiver allows 64 connections per client.
        default-server maxconn 60 pool-max-conn 60

      """ + receivers.map { "  server \($0.name) 127.0.0.1:\($0.port)\n" }.joined()
    let file = try OwnedDescriptor.open(
      configuration, flags: O_WRONLY | O_CREAT | O_TRUNC)
    try file.writeAll(Array(text.utf8).span, to: configuration)
    // The proxy runs as an unprivileged user.
    _ = unsafe chmod(folder, 0o755)
    _ = unsafe chmod(configuration, 0o644)
    try await start()
  }

  deinit {
    process?.kill()
  }

  private static var program: String? {
    ChildProcess.locate("haproxy")
      ?? (Folder.exists("/usr/sbin/haproxy") ? "/usr/sbin/haproxy" : nil)
  }

  /// Starts the proxy and waits until a receiver responds through it.
  func start() async throws {
    let output = try OwnedDescriptor.open(log, flags: O_WRONLY | O_CREAT | O_APPEND)
    process = try ChildProcess(
      "setpriv", FleetServer.words(signal: "KILL") + [program, "-db", "-f", configuration],
      inheriting: [(output.number, 1), (output.number, 2)])
    let limit = BootClock.now().advanced(bySeconds: Self.patience)
    let request = Array("GET /v1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    while FleetLink(port: port).ask(request, seconds: 5)?.status != 401 {
      guard limit.seconds(since: BootClock.now()) > 0 else {
        throw MeasurementError("haproxy did not start: \(WholeFile.text(log) ?? "")")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Kills the proxy, which also aborts all requests passing through it.
  func kill() {
    process?.kill()
    process = nil
  }
}
