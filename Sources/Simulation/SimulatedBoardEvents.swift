/// A command which a simulated board gives itself when something happens.
struct SimulatedEvent: Sendable {
  let source: BoardSource
  /// Module and register of the command.
  let target: [UInt8]
  let parameterCount: Int
  /// `nil` until they were sent; an event without its parameters does nothing.
  var parameters: [UInt8]?

  /// Reads `source (3), module, register, number of parameters`; `nil` with a complaint if it
  /// is something else.
  init?(_ payload: [UInt8], complain: (String) -> Void) {
    guard payload.count >= 6 else {
      complain("an event needs source, target and the number of parameters")
      return nil
    }
    guard payload.count == 6 else {
      complain("events that copy bytes of their source are not simulated")
      return nil
    }
    guard payload[5] <= 18 else {
      complain("an event cannot have \(payload[5]) bytes of parameters")
      return nil
    }
    source = BoardSource(module: payload[0], register: payload[1], index: payload[2])
    target = [payload[3], payload[4]]
    parameterCount = Int(payload[5])
    parameters = parameterCount == 0 ? [] : nil
  }

  /// The command, once complete.
  var command: [UInt8]? {
    parameters.map { target + $0 }
  }
}

/// A timer of a simulated board.
struct SimulatedTimer: Sendable {
  /// Seconds of the board's clock.
  let period: Double
  let repetitions: UInt16
  let isImmediate: Bool
  var isSubscribed = false
  /// True time of its next turn; `nil` while stopped.
  private(set) var next: Double?
  private var remaining: UInt16 = 0

  init(period: Double, repetitions: UInt16, isImmediate: Bool) {
    self.period = period
    self.repetitions = repetitions
    self.isImmediate = isImmediate
  }

  mutating func start(at time: Double, clockFactor: Double) {
    remaining = repetitions
    next = repetitions == 0 ? nil : isImmediate ? time : time + period / clockFactor
  }

  mutating func stop() {
    next = nil
  }

  /// Takes note that its turn came.
  mutating func turn(clockFactor: Double) {
    // ffff stands for ever.
    if remaining != .max { remaining -= 1 }
    next = remaining == 0 ? nil : next.map { $0 + period / clockFactor }
  }
}
