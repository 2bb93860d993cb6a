internal import LinuxSystem
internal import Values

/// Receivers that share a database, each listening on its own port.
struct FleetReceivers {
  /// Seconds to wait for a receiver to start. While the database is down, a receiver exits and must
  /// be started again.
  private static let patience = 60.0

  /// The ports of all receivers, including receivers that may be added later.
  let ports: [UInt16]
  private let address: String
  private var running: [UploadReceiver]
  /// Processor seconds used by receivers that were killed.
  private var past = 0.0

  /// Starts `count` receivers and reserves ports for `more` receivers that may be added.
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

  /// Returns the name that the proxy reports for a receiver.
  static func name(_ number: Int) -> String { "r\(number)" }

  var count: Int { running.count }

  private static func start(into address: String, port: UInt16) throws -> UploadReceiver {
    let limit = BootClock.now().advanced(bySeconds: patience)
    while true {
      do {
        // A receiver logs a warning for each injected fault, so discard its log.
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

  /// Processor seconds used by all receivers, including receivers that were killed.
  var processorSeconds: Double { running.reduce(past) { $0 + ($1.processorSeconds ?? 0) } }

  /// The numbers of receivers that exited on their own.
  var ended: [Int] { running.indices.filter { running[$0].processorSeconds == nil } }

  /// Kills a receiver and starts a new one on its port.
  mutating func replace(_ number: Int) throws {
    past += running[number].processorSeconds ?? 0
    running[number].end()
    running[number] = try Self.start(into: address, port: ports[number])
  }

  mutating func add() throws {
    running.append(try Self.start(into: address, port: ports[running.count]))
  }

  func end() {
    for receiver in running { receiver.end() }
  }
}
