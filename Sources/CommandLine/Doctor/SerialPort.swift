/// A serial port to which a GPS receiver may be connected. It is not opened: that would move its
/// control lines, which restarts some devices.
struct SerialPort: Hashable, Sendable {
  /// Its device, such as `/dev/ttyACM0`.
  var path: String
  /// The name to use for it: a stable one, if there is one.
  var name: String
  /// Maker and product as the device reports them, or empty.
  var product = ""
  var isUSB = true
  /// Whether this process may read and write it.
  var isUsable = true
  /// The name of its group, if that group may use it.
  var group: String?
  /// The program that has it open, as far as this user can see.
  var holder: String?
  /// Whether a rule of udev keeps ModemManager away from it.
  var isLeftAlone = true
  /// The port as one of the board itself; `nil` for one that is plugged in.
  var onboard: OnboardPort?
}

// MARK: Judging

extension SerialPort {
  /// Findings for all ports. With a named source of positions, `NamedSource` reports a missing
  /// receiver.
  ///
  /// - Parameters:
  ///   - isNeeded: whether nothing else gives positions.
  ///   - remedyForPins: how to use a receiver on the pins of the board. No check can find out
  ///     whether one is connected.
  static func findings(
    _ ports: [SerialPort], isNeeded: Bool, remedyForPins: String? = nil
  ) -> [Finding] {
    guard ports.isEmpty else { return ports.map(\.finding) }
    guard isNeeded else { return [.ok(.receiver, "no serial port, and none is needed")] }
    return [
      .warning(
        .receiver, "no GPS receiver is plugged in: samples have no position",
        remedy: "plug one in, or name a source with --gps"
          + (remedyForPins.map { "; for one on the pins, \($0)" } ?? ""))
    ]
  }

  /// Instructions to use a receiver on the pins of the board; `nil` for a computer without them.
  static func remedyForPins(_ tree: SystemTree) -> String? {
    OnboardPort.names(tree).first.map { "name \($0)" }
      ?? RaspberryPi(tree)?.remedyForUART
  }

  /// The same port, held by gpsd if gpsd says so: it may run as another user, whose files are
  /// hidden.
  func held(by daemon: GPSDaemon, _ tree: SystemTree) -> SerialPort {
    var port = self
    if holder == nil, daemon.paths.contains(where: { tree.target($0) == path }) {
      port.holder = "gpsd"
    }
    return port
  }

  /// Whether gpsd has it open.
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
          ?? "install udev/60-footbridge-gps.rules, which gives it to the group 'dialout'")
    }
    guard let holder else {
      return onboard?.doubt(words) ?? .ok(.receiver, "\(words) can be used")
    }
    if isOfDaemon { return .ok(.receiver, "\(words) belongs to gpsd: use '--gps gpsd'") }
    if holder.split(separator: " ").first == Version.program[...] {
      return .ok(.receiver, "\(words) is used by \(holder)")
    }
    return .warning(
      .receiver, "\(words) is open in \(holder)",
      remedy: "end that program: two readers of one port get half of the bytes each")
  }

  /// The finding about ModemManager, which probes every serial port for a modem.
  static func modemFinding(_ ports: [SerialPort], runs: Bool) -> Finding {
    guard runs else { return .ok(.modem, "ModemManager is not running") }
    let open = ports.filter { $0.isUSB && !$0.isLeftAlone }.map(\.path)
    guard !open.isEmpty else {
      return .ok(.modem, "ModemManager is running, and leaves the receivers alone")
    }
    return .warning(
      .modem, "ModemManager is running, and may talk to \(open.joined(separator: ", "))",
      remedy: "install udev/60-footbridge-gps.rules, or stop it with 'sudo systemctl disable --now "
        + "ModemManager'")
  }
}
