internal import Values

/// The state of a Raspberry Pi's supply voltage.
struct PowerSupply: Hashable, Sendable {
  /// Whether the voltage is too low now; `nil` if unknown.
  var isLowNow: Bool?
  /// Whether the voltage has been too low at any time since boot.
  var wasLow = false
  /// Whether the processor is currently throttled because of heat or low voltage.
  var isSlowed = false

  /// The remedy for low voltage.
  static let remedy = "use the manufacturer's power supply or a stronger battery, and a short cable"

  var finding: Finding {
    let remedy = Self.remedy
    guard let isLowNow else {
      return .ok(.power, "this computer does not report its supply voltage")
    }
    if isLowNow {
      return .fault(
        .power, "the supply voltage is too low now: cards may be damaged and adapters may reset",
        remedy: remedy)
    }
    if wasLow {
      return .warning(
        .power, "the supply voltage has been too low at least once since boot", remedy: remedy)
    }
    if isSlowed {
      return .warning(
        .power, "the processor is throttled because of heat", remedy: "add a heat sink or a fan")
    }
    return .ok(.power, "the supply voltage is sufficient")
  }
}

extension PowerSupply {
  /// The bits of the firmware's status word: the low half shows the current problems, and the high
  /// half shows all problems since boot.
  private enum Bits {
    static let lowNow = 1 << 0
    static let slowedNow = 1 << 2
    static let wasLow = 1 << 16
  }

  /// Returns the path of the firmware's status file: `soc/soc:firmware/get_throttled`. On later
  /// models, the path includes an address.
  private static func file(_ tree: SystemTree) -> String? {
    let platform = "/sys/devices/platform"
    return tree.names(platform).filter { $0.hasPrefix("soc") }.lazy
      .flatMap { soc in
        ([""] + tree.names("\(platform)/\(soc)").filter { $0.holds("firmware") }.map { "/\($0)" })
          .map { "\(platform)/\(soc)\($0)/get_throttled" }
      }
      .first { tree.exists($0) }
  }

  /// Reads the firmware's status word, or the voltage sensor's alarm.
  init(_ tree: SystemTree) {
    if let bits = Self.file(tree).map({ tree.hexadecimals($0) })?.first {
      isLowNow = bits & Bits.lowNow != 0
      wasLow = bits & Bits.wasLow != 0
      isSlowed = bits & Bits.slowedNow != 0
    }
    let folder = "/sys/class/hwmon"
    let sensor = tree.names(folder).first { tree.line("\(folder)/\($0)/name") == "rpi_volt" }
    if let alarm = sensor.flatMap({ tree.number("\(folder)/\($0)/in0_lcrit_alarm") }) {
      isLowNow = (isLowNow ?? false) || alarm != 0
    }
  }
}
