internal import LinuxSystem

/// Receivers that share a database, each at a port of its own.
struct FleetReceivers {
  /// The ports of the receivers.
  let ports: [UInt16]
  private let address: String
  private var running: [UploadReceiver]
  /// Processor time of those that were killed.
  private var past = 0.0

  /// Starts so many receivers.
  init(_ count: Int, into address: String) throws {
    let running = try (0..<count).map { _ in try Self.start(into: address, port: 0) }
    ports = try running.map { receiver in
      guard let port = receiver.url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
        throw MeasurementError("a receiver listens at \(receiver.url)")
      }
      return port
    }
    self.running = running
    self.address = address
  }

  private static func start(into address: String, port: UInt16) throws -> UploadReceiver {
    try UploadReceiver(into: address, ["--listen", "127.0.0.1:\(port)", "--quiet"])
  }

  /// Processor time of all of them so far.
  var processorSeconds: Double { running.reduce(past) { $0 + $1.processorSeconds } }

  /// Kills a receiver, and starts another in its place.
  mutating func replace(_ number: Int) throws {
    past += running[number].processorSeconds
    running[number].end()
    running[number] = try Self.start(into: address, port: ports[number])
  }

  /// Kills all.
  func end() {
    for receiver in running { receiver.end() }
  }
}
