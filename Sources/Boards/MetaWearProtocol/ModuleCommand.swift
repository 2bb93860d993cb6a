/// A command by its meaning: created from values, encoded as a packet, and decoded from a packet.
public protocol ModuleCommand: Hashable, Sendable {
  /// The encoded packet.
  var command: Command { get }
}

extension Command: ModuleCommand {
  /// The command itself.
  public var command: Command { self }
}

extension Bool {
  /// A Boolean in the board's encoding; `nil` for bytes other than 0 and 1.
  init?(wire: UInt8) {
    guard wire <= 1 else { return nil }
    self = wire == 1
  }

  /// 1 or 0.
  var wire: UInt8 { self ? 1 : 0 }
}

extension FixedWidthInteger {
  /// Number of whole steps in a quantity, truncated as by the vendor's software and limited to the
  /// field.
  ///
  /// A tiny amount is added first, since 0.3 ÷ 0.1 is just below 3 in binary.
  init(steps value: Double) {
    let whole = (value + 1e-6).rounded(.towardZero)
    if let exact = Self(exactly: whole) {
      self = exact
    } else {
      self = whole > 0 ? .max : .min
    }
  }
}
