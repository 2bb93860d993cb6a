/// A command by its meaning: made from values, written as a packet, and told from a packet again.
public protocol ModuleCommand: Hashable, Sendable {
  /// The packet that says it.
  var command: Command { get }
}

extension Command: ModuleCommand {
  /// Itself.
  public var command: Command { self }
}

extension Bool {
  /// A switch as the board takes it; other bytes than 0 and 1 are none.
  init?(wire: UInt8) {
    guard wire <= 1 else { return nil }
    self = wire == 1
  }

  /// 1 or 0.
  var wire: UInt8 { self ? 1 : 0 }
}

extension FixedWidthInteger {
  /// Whole steps in a quantity, cut off as the vendor's software does and kept within the field.
  ///
  /// A hair is added first, since 0.3 ÷ 0.1 falls just short of 3 in binary.
  init(steps value: Double) {
    let whole = (value + 1e-6).rounded(.towardZero)
    if let exact = Self(exactly: whole) {
      self = exact
    } else {
      self = whole > 0 ? .max : .min
    }
  }
}
