internal import MetaWearProtocol
internal import Recording
internal import Simulation
internal import Values

/// The chunks of a recording with acceleration (±8 g) and angular velocity (±2000 °/s) at 100 Hz.
/// They are generated from the packets of a simulated board, without waiting in real time.
enum SimulatedChunks {
  /// The standard deviation of the delay between sending a packet and timestamping it, in seconds.
  /// Simulated boards that run in real time have about this standard deviation on a lightly loaded
  /// machine.
  private static let jitter = 100e-6

  /// Returns this number of full chunks per signal. The two signals alternate, starting with
  /// acceleration.
  static func make(_ wearer: any Wearer, perSignal count: Int) -> [Chunk] {
    let accelerometer = Accelerometer(chip: .bmi270, revision: 0)
    let gyroscope = Gyroscope(chip: .bmi270, revision: 0)
    let signals: [SimulatedSignal] = [
      SimulatedSignal(accelerometer, range: 8), SimulatedSignal(gyroscope, range: 2_000),
    ]
    var board = SimulatedBoard(.metaMotionS, address: identity.address, wearer: wearer)
    board.linkUp()
    for signal in signals {
      for command in signal.commands { board.receive(command.bytes, at: 0) }
    }
    var chunkers = signals.map {
      Chunker(
        session: UniqueID(high: 1, low: 1), bootID: UniqueID(high: 2, low: 2), board: identity,
        stream: $0.description)
    }
    var chunks = signals.map { _ in [Chunk]() }
    var waiting = signals.map { _ in [Reading]() }
    var delay = Delay()
    var sent: [SimulatedNotification] = []
    while chunks.contains(where: { $0.count < count }), let time = board.nextEvent {
      sent.removeAll(keepingCapacity: true)
      board.advance(to: time, into: &sent)
      for packet in sent {
        guard let place = signals.firstIndex(where: { $0.claims(packet.bytes) }) else { continue }
        waiting[place].append(signals[place].reading(packet.bytes))
        // Two samples per packet, as in packets from boards that use a counter.
        guard waiting[place].count == 2 else { continue }
        let arrival = 60e9 + (packet.time + delay.next(deviation: jitter)) * 1e9
        for var reading in waiting[place] {
          reading.arrival = BootTime(nanoseconds: Int64(arrival))
          reading.counter = UInt32(chunks[place].count * Chunk.capacity + chunkers[place].openCount)
          guard chunkers[place].append(reading) == .full, chunks[place].count < count,
            let chunk = chunkers[place].seal(fixes: [])
          else { continue }
          chunks[place].append(chunk)
        }
        waiting[place].removeAll(keepingCapacity: true)
      }
    }
    return (0..<count).flatMap { index in chunks.map { $0[index] } }
  }

  private static let identity = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left ankle", model: "MetaMotion S",
    firmware: "1.7.2")

  /// Generates packet delays, identical in every run.
  private struct Delay {
    private var generator = SplitMix64(seed: 5)

    mutating func next(deviation: Double) -> Double {
      var sum = 0.0
      for _ in 0..<12 { sum += Double.random(in: 0..<1, using: &generator) }
      return 1e-3 + deviation * (sum - 6)
    }
  }
}

/// Configures one of the two signals, and decodes its packets.
private struct SimulatedSignal {
  let description: StreamDescription
  let commands: [Command]
  private let header: [UInt8]

  init(_ sensor: any MotionSensor, range: Double) {
    guard let configuration = sensor.configuration(nearestRate: 100, range: range) else {
      preconditionFailure("\(sensor.chipName) has no range of \(range)")
    }
    description = StreamDescription(
      signal: sensor.signal, unit: sensor.unit, countsPerUnit: configuration.range.countsPerUnit,
      rate: configuration.rate.hertz, lossAccounting: .counted)
    commands = [
      sensor.configure(configuration), .subscribe(sensor.module, sensor.sampleRegister),
      sensor.enableDataReady, sensor.powerOn(configuration),
    ]
    header = [sensor.module.rawValue, sensor.sampleRegister]
  }

  func claims(_ packet: [UInt8]) -> Bool {
    packet.starts(with: header) && packet.count == header.count + 6
  }

  func reading(_ packet: [UInt8]) -> Reading {
    func word(_ axis: Int) -> Int32 {
      let place = header.count + 2 * axis
      return Int32(Int16(truncatingIfNeeded: Int(packet[place]) | Int(packet[place + 1]) << 8))
    }
    return Reading(
      board: 0, stream: 0, arrival: BootTime(nanoseconds: 0), counter: 0, x: word(0), y: word(1),
      z: word(2))
  }
}
