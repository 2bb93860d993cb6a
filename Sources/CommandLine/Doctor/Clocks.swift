internal import LinuxSystem
internal import NMEA
internal import Values

/// The system clock, and the real-time clock that runs while the computer is off.
struct Clocks: Hashable, Sendable {
  /// Whether the kernel considers the system clock to be synchronised.
  var isSynchronised: Bool
  var systemTime: UTCTime
  /// The time shown by the real-time clock; `nil` if the computer has none.
  var hardwareTime: UTCTime?
  /// Whether the real-time clock reports a missing battery, which is possible on a Raspberry Pi 5.
  var lacksBattery = false

  var findings: [Finding] { [systemFinding, hardwareFinding] }

  private var systemFinding: Finding {
    if systemTime < WeekRollover.liveFloor {
      return .fault(
        .clock,
        "the system clock shows \(systemTime.iso8601(decimals: 0)), a time before this program was built",
        remedy: "connect the computer to the network, or set its clock with 'sudo date -s'")
    }
    guard isSynchronised else {
      return .warning(
        .clock, "the system clock is not synchronised; only a GPS receiver can date recordings",
        remedy: "install 'chrony' or 'systemd-timesyncd', and connect the computer to the network")
    }
    return .ok(.clock, "the system clock is synchronised")
  }

  private var hardwareFinding: Finding {
    guard let hardwareTime else {
      return .warning(
        .rtc,
        "no real-time clock found: after each start the date is wrong until a network or "
          + "a receiver sets it",
        remedy: "add a real-time clock, or record outdoors with a receiver")
    }
    guard !lacksBattery else {
      return .warning(
        .rtc,
        "the real-time clock has no battery: after a power cut the date is wrong until a network "
          + "or a receiver sets it",
        remedy: "connect a battery, or record outdoors with a receiver")
    }
    guard hardwareTime >= WeekRollover.liveFloor else {
      return .warning(
        .rtc,
        "the real-time clock shows \(hardwareTime.iso8601(decimals: 0)): its battery may be empty",
        remedy: "replace its battery, then run 'sudo hwclock --systohc'")
    }
    return .ok(.rtc, "the computer has a real-time clock")
  }
}

extension Clocks {
  /// Reads the clocks. The system time always comes from the kernel, even if `tree` describes
  /// another system.
  init(_ tree: SystemTree) {
    isSynchronised = BootClock.isSystemTimeSynchronised
    systemTime = BootClock.systemTime()
    hardwareTime = Self.hardwareTime(tree)
    lacksBattery = Self.lacksBattery(tree)
  }

  /// The battery voltage in microvolts below which the battery is considered empty or missing. A
  /// full battery supplies 3 V.
  private static let emptyBattery = 1_000_000

  /// Returns whether every real-time clock reports a battery voltage that is too low.
  static func lacksBattery(_ tree: SystemTree) -> Bool {
    let folder = "/sys/class/rtc"
    let voltages = tree.names(folder).map { tree.number("\(folder)/\($0)/battery_voltage") }
    return !voltages.isEmpty && voltages.allSatisfy { $0.map { $0 < emptyBattery } ?? false }
  }

  /// Returns the time of the first real-time clock that reports one.
  static func hardwareTime(_ tree: SystemTree) -> UTCTime? {
    let folder = "/sys/class/rtc"
    return tree.names(folder).lazy.compactMap { name in
      tree.number("\(folder)/\(name)/since_epoch")
        .map {
          UTCTime(
            nanoseconds: Int64(
              clamping: $0.multipliedReportingOverflow(by: 1_000_000_000).partialValue))
        }
    }.first
  }
}
