/// A command that a simulated board carries out itself when an event happens.
struct SimulatedEvent: Sendable {
  let source: BoardSource
  /// Module and register of the command.
  let target: [UInt8]
  let parameterCount: Int
  /// `nil` until they arrive; an event without its parameters does nothing.
  var parameters: [UInt8]?
  private var copy: Copy?

  /// Bytes of the source's value that replace parameters.
  private struct Copy: Sendable {
    let length: Int
    let sourceOffset: Int
    let parameterOffset: Int
  }

  /// Reads `source (3), module, register, number of parameters`, possibly with two bytes that say
  /// which bytes to copy. `nil` with a complaint if it is something else.
  init?(_ payload: [UInt8], complain: (String) -> Void) {
    guard payload.count >= 6 else {
      complain("an event needs source, target and the number of parameters")
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
    guard payload.count > 6 else { return }
    guard payload.count == 8, payload[6] & 1 == 1 else {
      complain("the copy of an event takes two bytes, the first of them odd")
      return nil
    }
    let copy = Copy(
      length: Int(payload[6] >> 1 & 7), sourceOffset: Int(payload[6] >> 4),
      parameterOffset: Int(payload[7]))
    guard copy.length > 0, copy.parameterOffset + copy.length <= parameterCount else {
      complain("an event with \(parameterCount) parameters cannot take such a copy")
      return nil
    }
    self.copy = copy
  }

  /// The complete command, with its bytes from a value; `nil` while its parameters are missing.
  func command(for value: [UInt8]) -> [UInt8]? {
    guard var parameters else { return nil }
    if let copy {
      let copied = value.dropFirst(copy.sourceOffset).prefix(copy.length)
      let place = copy.parameterOffset..<(copy.parameterOffset + copied.count)
      parameters.replaceSubrange(place, with: copied)
    }
    return target + parameters
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

  /// Counts a turn of the timer.
  mutating func turn(clockFactor: Double) {
    // ffff means for ever.
    if remaining != .max { remaining -= 1 }
    next = remaining == 0 ? nil : next.map { $0 + period / clockFactor }
  }
}
