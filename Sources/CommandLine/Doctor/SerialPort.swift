/// A serial port to which a GPS receiver may be connected. The checks never open the port: opening
/// it would change its control lines, which restarts some devices.
struct SerialPort: Hashable, Sendable {
  /// The device path, such as `/dev/ttyACM0`.
  var path: String
  /// The name to use for the port, preferably a stable one.
  var name: String
  /// Manufacturer and product as reported by the device; empty if unknown.
  var product = ""
  var isUSB = true
  /// Whether this process may read and write the port.
  var isUsable = true
  /// The group with access to the port; `nil` if group members have no access.
  var group: String?
  /// The program that has the port open, if this user can see it.
  var holder: String?
  /// Whether a udev rule keeps ModemManager away from the port.
  var isLeftAlone = true
  /// The details of a port on the computer's board; `nil` for a USB port.
  var onboard: OnboardPort?
}

// MARK: Judging

extension SerialPort {
  /// Returns findings for all ports. If the user named a position source, `NamedSource` reports a
  /// missing receiver.
  ///
  /// - Parameters:
  ///   - isNeeded: whether there is no other position source.
  ///   - remedyForPins: how to use a receiver on the pins of the board. No check can detect whether
  ///     such a receiver is connected.
  static func findings(
    _ ports: [SerialPort], isNeeded: Bool, remedyForPins: String? = nil
  ) -> [Finding] {
    guard ports.isEmpty else { return ports.map(\.finding) }
    guard isNeeded else { return [.ok(.receiver, "no serial port, and none is needed")] }
    return [
      .warning(
        .receiver, "no GPS receiver is plugged in: samples will have no position",
        remedy: "plug one in, or specify a source with --gps"
          + (remedyForPins.map { "; for a receiver on the GPIO pins, \($0)" } ?? ""))
    ]
  }

  /// Returns instructions for using a receiver on the board's pins; `nil` if the computer has no
  /// such pins.
  static func remedyForPins(_ tree: SystemTree) -> String? {
    OnboardPort.names(tree).first.map { "use \($0)" }
      ?? RaspberryPi(tree)?.remedyForUART
  }

  /// Returns the port, marked as open in gpsd if gpsd lists it. gpsd may run as another user, whose
  /// open files are hidden.
  func held(by daemon: GPSDaemon, _ tree: SystemTree) -> SerialPort {
    var port = self
    if holder == nil, daemon.paths.contains(where: { tree.target($0) == path }) {
      port.holder = "gpsd"
    }
    return port
  }

  /// Whether gpsd has the port open.
  var isOfDaemon: Bool { holder.map { $0.split(separator: " ").first == "gpsd" } ?? false }

  private var finding: Finding {
    let words = name + (product.isEmpty ? "" : " (\(product))")
    if let obstacle = onboard?.obstacle(words) { return obstacle }
    if !isUsable {
      let remedy = group.map {
        "add the user to the group '\($0)' with 'sudo usermod -aG \($0) $USER' and log in again"
      }
      return .fault(
        .receiver, "no permission to use \(words)",
        remedy: remedy ?? onboard?.remedyForGroup
          ?? "install udev/60-footbridge-gps.rules, which assigns it to the group 'dialout'")
    }
    guard let holder else {
      return onboard?.doubt(words) ?? .ok(.receiver, "\(words) can be used")
    }
    if isOfDaemon { return .ok(.receiver, "\(words) is used by gpsd: use '--gps gpsd'") }
    if holder.split(separator: " ").first == Version.program[...] {
      return .ok(.receiver, "\(words) is used by \(holder)")
    }
    return .warning(
      .receiver, "\(words) is open in \(holder)",
      remedy:
        "stop that program: if two programs read the same port, each receives only some of the "
        + "bytes")
  }

  /// Returns the finding about ModemManager, which probes every serial port for a modem.
  static func modemFinding(_ ports: [SerialPort], runs: Bool) -> Finding {
    guard runs else { return .ok(.modem, "ModemManager is not running") }
    let open = ports.filter { $0.isUSB && !$0.isLeftAlone }.map(\.path)
    guard !open.isEmpty else {
      return .ok(.modem, "ModemManager is running, but ignores the receivers")
    }
    return .warning(
      .modem, "ModemManager is running, and may probe \(open.joined(separator: ", "))",
      remedy: "install udev/60-footbridge-gps.rules, or stop it with 'sudo systemctl disable --now "
        + "ModemManager'")
  }
}
