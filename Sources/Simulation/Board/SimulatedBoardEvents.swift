/// A command that a simulated board executes automatically when an event occurs.
struct SimulatedEvent: Sendable {
  let source: BoardSource
  /// The command's module and register.
  let target: [UInt8]
  let parameterCount: Int
  /// The command's parameters; `nil` until they arrive. Until then, the event does nothing.
  var parameters: [UInt8]?
  private var copy: Copy?

  /// Bytes of the source's value that replace some of the command's parameters.
  private struct Copy: Sendable {
    let length: Int
    let sourceOffset: Int
    let parameterOffset: Int
  }

  /// Parses `source (3), module, register, number of parameters`, optionally followed by two bytes
  /// that select the bytes to copy. Returns `nil` and adds a complaint if the payload is invalid.
  init?(_ payload: [UInt8], complain: (String) -> Void) {
    guard payload.count >= 6 else {
      complain("an event needs a source, a target and the number of parameters")
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
      complain("copying a value into an event requires two bytes, the first of them odd")
      return nil
    }
    let copy = Copy(
      length: Int(payload[6] >> 1 & 7), sourceOffset: Int(payload[6] >> 4),
      parameterOffset: Int(payload[7]))
    guard copy.length > 0, copy.parameterOffset + copy.length <= parameterCount else {
      complain("an event with \(parameterCount) bytes of parameters does not allow this copy")
      return nil
    }
    self.copy = copy
  }

  /// Returns the complete command, including bytes copied from a value; `nil` while its parameters
  /// are missing.
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

/// A timer on a simulated board.
struct SimulatedTimer: Sendable {
  /// The period in seconds, measured by the board's clock.
  let period: Double
  let repetitions: UInt16
  let isImmediate: Bool
  var isSubscribed = false
  /// True time at which the timer next fires; `nil` while the timer is stopped.
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

  /// Counts one firing of the timer and schedules the next.
  mutating func turn(clockFactor: Double) {
    // If the count is ffff, the timer repeats forever.
    if remaining != .max { remaining -= 1 }
    next = remaining == 0 ? nil : next.map { $0 + period / clockFactor }
  }
}
