/// A command in decoded form. It can be created from values, encoded as a packet, and decoded from
/// a packet. Decoding returns `nil` for a packet that is not such a command.
public protocol ModuleCommand: Hashable, Sendable {
  /// The encoded packet.
  var command: Command { get }
}

extension Command: ModuleCommand {
  public var command: Command { self }
}

extension Bool {
  init?(wire: UInt8) {
    guard wire <= 1 else { return nil }
    self = wire == 1
  }

  var wire: UInt8 { self ? 1 : 0 }
}

extension FixedWidthInteger {
  /// Converts a number of steps to the integer in a packet's field. Truncates the number, like the
  /// vendor's software, and clamps it to the field's range.
  ///
  /// A tiny amount is added before truncation, because 0.3 ÷ 0.1 is just below 3 in binary.
  init(steps value: Double) {
    let whole = (value + 1e-6).rounded(.towardZero)
    if let exact = Self(exactly: whole) {
      self = exact
    } else {
      self = whole > 0 ? .max : .min
    }
  }
}
