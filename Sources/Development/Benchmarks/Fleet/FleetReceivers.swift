internal import LinuxSystem
internal import Values

/// Receivers that share a database, each on its own port.
struct FleetReceivers {
  /// Seconds until a receiver starts: it exits while the database is away, and is started again.
  private static let patience = 60.0

  /// The ports of the receivers, including receivers that may be added.
  let ports: [UInt16]
  private let address: String
  private var running: [UploadReceiver]
  /// Processor time of the killed receivers.
  private var past = 0.0

  /// Starts this many receivers, and keeps ports for some more.
  init(_ count: Int, more: Int = 0, into address: String) throws {
    let running = try (0..<count).map { _ in try Self.start(into: address, port: 0) }
    ports =
      try running.map { receiver in
        guard let port = receiver.url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
          throw MeasurementError("a receiver is listening at \(receiver.url)")
        }
        return port
      } + (0..<more).map { _ in try TCPListener().port }
    self.running = running
    self.address = address
  }

  /// The name of the receiver at a port, as reported by the proxy.
  static func name(_ number: Int) -> String { "r\(number)" }

  /// Receivers that run.
  var count: Int { running.count }

  private static func start(into address: String, port: UInt16) throws -> UploadReceiver {
    let limit = BootClock.now().advanced(bySeconds: patience)
    while true {
      do {
        // It logs a warning for each injected fault.
        return try UploadReceiver(
          of: "footbridge-fleet", into: address,
          after: ["sh", "-c", "exec \"$@\" 2>/dev/null", "sh"],
          ["--listen", "127.0.0.1:\(port)"])
      } catch {
        guard limit.seconds(since: BootClock.now()) > 0 else { throw error }
        var polls = PollSet()
        polls.wait(seconds: 0.2)
      }
    }
  }

  /// Processor time of all receivers so far.
  var processorSeconds: Double { running.reduce(past) { $0 + ($1.processorSeconds ?? 0) } }

  /// Receivers that have ended by themselves.
  var ended: [Int] { running.indices.filter { running[$0].processorSeconds == nil } }

  /// Kills a receiver, and starts another in its place.
  mutating func replace(_ number: Int) throws {
    past += running[number].processorSeconds ?? 0
    running[number].end()
    running[number] = try Self.start(into: address, port: ports[number])
  }

  /// Starts one more receiver.
  mutating func add() throws {
    running.append(try Self.start(into: address, port: ports[running.count]))
  }

  /// Kills all.
  func end() {
    for receiver in running { receiver.end() }
  }
}
