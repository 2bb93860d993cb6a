/// Commands for the timers on the board (module 0c). A board supports at most 8 timers. An `Event`
/// defines what happens when a timer fires.
public enum Timer: ModuleCommand {
  /// Number of repetitions that makes a timer run forever.
  public static let endless: UInt16 = 0xffff

  /// Creates a stopped timer. The response is a `Notification.created` with the timer's id.
  ///
  /// With `isImmediate`, the timer first fires when it is started; otherwise, it first fires one
  /// period later.
  case create(
    periodMilliseconds: UInt32, repetitions: UInt16 = endless, isImmediate: Bool = false)
  case start(UInt8)
  /// Stops a timer, which can then be started again.
  case stop(UInt8)
  case remove(UInt8)
  /// Sets whether the board notifies the host each time a timer fires.
  case notify(UInt8, isOn: Bool)

  public init?(_ command: Command) {
    guard command.header.module == .timer else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x02, 7):
      guard let isImmediate = Bool(wire: payload[6]) else { return nil }
      self = .create(
        periodMilliseconds: payload.span.uint32(at: 0), repetitions: payload.span.uint16(at: 4),
        isImmediate: isImmediate)
    case (0x03, 1): self = .start(payload[0])
    case (0x04, 1): self = .stop(payload[0])
    case (0x05, 1): self = .remove(payload[0])
    case (0x07, 2):
      guard let isOn = Bool(wire: payload[1]) else { return nil }
      self = .notify(payload[0], isOn: isOn)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .create(let period, let repetitions, let isImmediate):
      Command(
        .timer, 0x02,
        period.littleEndianBytes + repetitions.littleEndianBytes + [isImmediate.wire])
    case .start(let id): Command(.timer, 0x03, [id])
    case .stop(let id): Command(.timer, 0x04, [id])
    case .remove(let id): Command(.timer, 0x05, [id])
    case .notify(let id, let isOn): Command(.timer, 0x07, [id, isOn.wire])
    }
  }
}
