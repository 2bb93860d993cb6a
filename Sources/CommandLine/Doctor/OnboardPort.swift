internal import LinuxSystem
internal import Terminal
internal import Values

/// A serial port on a computer's board, such as the UART on the pins of a Raspberry Pi.
struct OnboardPort: Hashable, Sendable {
  /// The system's use of the port.
  enum Console: Hashable, Sendable {
    /// The system does not use the port.
    case none
    /// The kernel writes its messages to the port.
    case messages
    /// A login prompt reads from the port.
    case login
  }

  /// The device path, such as `/dev/ttyS0`.
  var path: String
  var console = Console.none
  /// Whether the Bluetooth adapter is connected to the port.
  var isBluetooth = false
  /// The Raspberry Pi that has the port; `nil` for other computers.
  var pi: RaspberryPi?

  /// Whether the port's baud rate depends on the graphics processor's clock.
  private var isMini: Bool { pi != nil && Self.isMini(path) }
  /// Whether the port is on the debug connector, not on the pins.
  private var isAtDebugPlug: Bool { pi?.isFive == true && path == "/dev/ttyAMA10" }

  /// Returns a finding if the port cannot be used for a receiver; `nil` if it can.
  func obstacle(_ words: String) -> Finding? {
    if isBluetooth {
      return .fault(
        .receiver, "\(words) is the serial port of the Bluetooth adapter",
        remedy: "use the port on the pins, /dev/serial0")
    }
    guard console == .login else { return nil }
    return .fault(
      .receiver, "a login prompt on \(words) consumes the receiver's sentences",
      remedy: consoleRemedy)
  }

  /// Returns a warning if the port is unreliable; `nil` otherwise.
  func doubt(_ words: String) -> Finding? {
    if isAtDebugPlug {
      return .warning(
        .receiver, "\(words) is on the debug connector, not on pins 8 and 10",
        remedy: "use /dev/ttyAMA0 for a receiver on the pins; if that port is missing: "
          + (pi?.remedyForUART ?? ""))
    }
    if console == .messages {
      return .warning(
        .receiver, "the kernel writes its messages to \(words)", remedy: consoleRemedy)
    }
    guard isMini, let pi, !pi.isClockFixed else { return nil }
    return .warning(
      .receiver,
      "\(words) is the mini UART, whose speed may drift; Bluetooth uses the better UART",
      remedy: "add 'core_freq_fixed=1' under [all] in \(pi.file), or 'dtoverlay=disable-bt' "
        + "if you use a USB Bluetooth adapter; then restart the computer")
  }

  /// Instructions for restoring the port's group.
  var remedyForGroup: String {
    "assign it to the group 'dialout' with 'sudo chgrp dialout \(ShellText.quoted(path))' and "
      + "'sudo chmod 660 \(ShellText.quoted(path))'; if the change does not last, a login "
      + "prompt uses the port"
  }

  private var consoleRemedy: String {
    if pi != nil {
      return "run 'sudo raspi-config', choose Interface Options and Serial Port, answer no to the "
        + "login and yes to the hardware, and restart the computer"
    }
    let name = Folder.name(of: path)
    return "remove 'console=\(name)' from the kernel's command line, then 'sudo systemctl mask "
      + "serial-getty@\(name)', and restart the computer"
  }
}

// MARK: Reading

extension OnboardPort {
  /// The links that Raspberry Pi OS creates: `pins` to the UART on the pins, and `other` to the
  /// UART that Bluetooth uses.
  private static let pins = "/dev/serial0"
  private static let other = "/dev/serial1"

  /// Returns whether a path may name a port on the board, even if the port does not exist.
  static func mayBe(_ path: String) -> Bool {
    [pins, other].contains(path) || isMini(path) || isNumbered(path, "/dev/ttyAMA")
  }

  private static func isMini(_ path: String) -> Bool { isNumbered(path, "/dev/ttyS") }

  private static func isNumbered(_ path: String, _ start: String) -> Bool {
    let number = path.dropFirst(start.count)
    return path.hasPrefix(start) && !number.isEmpty && number.allSatisfy(\.isNumber)
  }

  /// Returns the name to use for a port: the link created by Raspberry Pi OS if it points to the
  /// port, or else the path.
  static func name(of path: String, _ tree: SystemTree) -> String {
    tree.target(pins) == path ? pins : path
  }

  /// Returns the ports to which a receiver may be connected, starting with the port on the pins. A
  /// PC has up to 32 device nodes for such ports, most of which have no UART.
  static func paths(_ tree: SystemTree) -> [String] {
    let pins = tree.target(pins)
    return tree.names("/dev").map { "/dev/\($0)" }
      .filter { path in
        guard path != other, path != Self.pins, mayBe(path) else { return false }
        guard !isMini(path) || path == pins || isReal(path, tree) else { return false }
        let port = OnboardPort(path, tree)
        return !port.isBluetooth && !port.isAtDebugPlug
      }
      .sorted { $0 == pins && $1 != pins }
  }

  /// Returns the names to use for the ports to which a receiver may be connected.
  static func names(_ tree: SystemTree) -> [String] {
    paths(tree).map { name(of: $0, tree) }
  }

  /// Returns the names of ports that are safe to open even if the user did not name them. Opening a
  /// port changes its speed, which could disturb a console, a PC peripheral or a HAT without a
  /// receiver.
  static func harmlessNames(_ tree: SystemTree) -> [String] {
    guard let pi = RaspberryPi(tree) else { return [] }
    let pins = pi.isFive ? "/dev/ttyAMA0" : tree.target(pins)
    return paths(tree).filter { $0 == pins && OnboardPort($0, tree).console == .none }
      .map { name(of: $0, tree) }
  }

  /// Returns whether the kernel found a UART. Ports without a UART have the type 0.
  private static func isReal(_ path: String, _ tree: SystemTree) -> Bool {
    (tree.number("/sys/class/tty/\(Folder.name(of: path))/type") ?? 0) != 0
  }

  /// Examines how the system uses a port.
  init(_ path: String, _ tree: SystemTree) {
    self.path = path
    pi = RaspberryPi(tree)
    let name = Folder.name(of: path)
    isBluetooth =
      tree.target(Self.other) == path
      || tree.names("/sys/class/bluetooth").contains {
        tree.target("/sys/class/bluetooth/\($0)").holds("/tty/\(name)/")
      }
    console = Self.console(name, isPins: tree.target(Self.pins) == path, tree)
  }

  private static func console(_ name: String, isPins: Bool, _ tree: SystemTree) -> Console {
    let unit = "serial-getty@\(name).service"
    let isMasked = tree.link("/etc/systemd/system/\(unit)") == "/dev/null"
    let mayBeWanted = [unit, "getty@\(name).service"].flatMap { unit in
      ["getty", "multi-user"].map { "\($0).target.wants/\(unit)" }
    }
    // On the kernel command line, a Raspberry Pi's firmware usually replaces 'serial0' with the
    // port's own name.
    let names = isPins ? [name, "serial0"] : [name]
    let words = (tree.line("/proc/cmdline") ?? "").split(separator: " ")
    let hasMessages =
      words.contains { word in
        names.contains { word == "console=\($0)" || word.hasPrefix("console=\($0),") }
      }
      || (tree.line("/sys/class/tty/console/active") ?? "").split(separator: " ")
        .contains { $0 == name }
    let runs = tree.processes(named: "agetty").contains { process in
      // systemd runs agetty with '-' instead of a port name, and with the port as standard input.
      tree.link("/proc/\(process)/fd/0") == "/dev/\(name)"
        || (tree.text("/proc/\(process)/cmdline") ?? "").split(separator: "\0")
          .contains { word in names.contains { word == $0 || word == "/dev/\($0)" } }
    }
    let isWanted = ["/etc/systemd/system", "/run/systemd/generator"].contains { folder in
      mayBeWanted.contains { !tree.link("\(folder)/\($0)").isEmpty }
    }
    // systemd starts a login on each kernel console, unless the command line disables it.
    let isAutomatic = !["no", "0", "false"].contains { words.contains("systemd.getty_auto=\($0)") }
    if runs || (isWanted || hasMessages && isAutomatic) && !isMasked { return .login }
    return hasMessages ? .messages : .none
  }
}
