internal import Recording
internal import Values

/// Determines how a session's boards are attached, based on the readings as they arrive.
struct MountingWatch {
  private struct Board {
    var address: BoardAddress
    var meter: MountingMeter
    /// The mounting reported by the last event, or `nil` before the first event.
    var recorded: Mounting?
    var events = 0
  }

  private enum Sensor {
    case accelerometer(Int)
    case gyroscope(Int)
  }

  /// The minimum angle in degrees between a new mounting and the last recorded mounting. Smaller
  /// changes are recorded only if the board becomes loose or firm.
  private static let change = 20.0
  /// The maximum number of events per board. A loose board's mounting changes constantly.
  private static let mostEvents = 10
  /// The minimum number of samples per second. At lower rates, a leg's swing cannot be detected.
  private static let leastRate = 24.0

  private var boards: [Board] = []
  /// The accelerometer or gyroscope behind each recorder stream, or `nil` for other streams.
  private var sensors: [Sensor?] = []

  /// Adds a board's streams, in the same order as in the recorder. Only a board with an
  /// accelerometer and a gyroscope has a mounting.
  mutating func add(_ streams: [StreamDescription], of board: BoardAddress) {
    func rate(_ signal: String, in unit: String) -> Double? {
      streams.first { $0.signal == signal && $0.unit == unit && $0.axisCount == 3 }
        .flatMap { $0.rate >= Self.leastRate ? $0.rate : nil }
    }
    let place = boards.count
    let rates = rate("acceleration", in: "g").flatMap { acceleration in
      rate("angular_velocity", in: "deg/s").map { (acceleration, $0) }
    }
    if let rates {
      boards.append(
        Board(
          address: board,
          meter: MountingMeter(accelerationRate: rates.0, rotationRate: rates.1)))
    }
    for description in streams {
      sensors.append(
        rates == nil
          ? nil
          : description.signal == "acceleration"
            ? .accelerometer(place)
            : description.signal == "angular_velocity" ? .gyroscope(place) : nil)
    }
  }

  /// Whether the samples of the recorder stream at this index are needed.
  @inline(__always)
  func needs(_ stream: Int) -> Bool { sensors[stream] != nil }

  /// Adds the next sample of the recorder stream at this index. Returns an event when a board's
  /// mounting is first determined or has changed.
  @inline(__always)
  mutating func add(
    _ values: SIMD3<Double>, counter: UInt32, at time: BootTime, stream: Int
  ) -> SessionEvent? {
    switch sensors[stream] {
    case nil: return nil
    case .accelerometer(let place):
      boards[place].meter.add(acceleration: values, counter: counter)
      return nil
    case .gyroscope(let place):
      guard let mounting = boards[place].meter.add(rotation: values, counter: counter) else {
        return nil
      }
      return event(mounting, of: place, at: time)
    }
  }

  private mutating func event(
    _ mounting: Mounting, of place: Int, at time: BootTime
  ) -> SessionEvent? {
    if let recorded = boards[place].recorded {
      guard boards[place].events < Self.mostEvents,
        mounting.isLoose != recorded.isLoose || mounting.angle(to: recorded) > Self.change
      else { return nil }
    }
    boards[place].recorded = mounting
    boards[place].events += 1
    return SessionEvent(
      .mounting, board: boards[place].address, at: time,
      value: (mounting.looseness * 10).rounded() / 10, text: mounting.text)
  }
}
