internal import LinuxSystem
internal import Terminal
internal import Values

/// A serial port of the board itself, such as the UART at the pins of a Raspberry Pi.
struct OnboardPort: Hashable, Sendable {
  /// The use that the system makes of the port.
  enum Console: Hashable, Sendable {
    /// Nothing.
    case none
    /// The kernel writes its messages to it.
    case messages
    /// A login reads from it.
    case login
  }

  /// Its device, such as `/dev/ttyS0`.
  var path: String
  var console = Console.none
  /// Whether Bluetooth is connected to it.
  var isBluetooth = false
  /// The computer, if it is a Raspberry Pi.
  var pi: RaspberryPi?

  /// Whether its speed follows the clock of the graphics processor.
  private var isMini: Bool { pi != nil && Self.isMini(path) }
  /// Whether it is at the plug for debugging, not at the pins.
  private var isAtDebugPlug: Bool { pi?.isFive == true && path == "/dev/ttyAMA10" }

  /// The reason why no receiver can be read there; `nil` if there is none.
  func obstacle(_ words: String) -> Finding? {
    if isBluetooth {
      return .fault(
        .receiver, "\(words) is the serial port of the Bluetooth adapter",
        remedy: "name the port of the pins, /dev/serial0")
    }
    guard console == .login else { return nil }
    return .fault(
      .receiver, "a login runs on \(words), and reads the sentences of a receiver",
      remedy: consoleRemedy)
  }

  /// A warning if it is unreliable; `nil` if it is not.
  func doubt(_ words: String) -> Finding? {
    if isAtDebugPlug {
      return .warning(
        .receiver, "\(words) is the debug connector, not the pins 8 and 10",
        remedy: "for a receiver on the pins name /dev/ttyAMA0; if that is missing: "
          + (pi?.remedyForUART ?? ""))
    }
    if console == .messages {
      return .warning(
        .receiver, "the kernel writes its messages to \(words)", remedy: consoleRemedy)
    }
    guard isMini, let pi, !pi.isClockFixed else { return nil }
    return .warning(
      .receiver,
      "\(words) is the mini UART, whose speed may drift: Bluetooth has the better one",
      remedy: "write 'core_freq_fixed=1' below [all] in \(pi.file); with a Bluetooth adapter on "
        + "USB write 'dtoverlay=disable-bt' instead; then restart the computer")
  }

  /// Instructions to return the port to its group.
  var remedyForGroup: String {
    "give it to the group 'dialout' with 'sudo chgrp dialout \(ShellText.quoted(path))' and "
      + "'sudo chmod 660 \(ShellText.quoted(path))'; if that does not last, a login runs there"
  }

  private var consoleRemedy: String {
    if pi != nil {
      return "run 'sudo raspi-config', Interface Options, Serial Port: answer no to the login and "
        + "yes to the hardware, and restart the computer"
    }
    let name = Folder.name(of: path)
    return "remove 'console=\(name)' from the kernel's command line, then 'sudo systemctl mask "
      + "serial-getty@\(name)', and restart the computer"
  }
}

// MARK: Reading

extension OnboardPort {
  /// The link to the UART of the pins, and that to the other one, which Bluetooth has.
  private static let pins = "/dev/serial0"
  private static let other = "/dev/serial1"

  /// Whether a path may name a port on the board, even if the port does not exist.
  static func mayBe(_ path: String) -> Bool {
    [pins, other].contains(path) || isMini(path) || isNumbered(path, "/dev/ttyAMA")
  }

  private static func isMini(_ path: String) -> Bool { isNumbered(path, "/dev/ttyS") }

  private static func isNumbered(_ path: String, _ start: String) -> Bool {
    let number = path.dropFirst(start.count)
    return path.hasPrefix(start) && !number.isEmpty && number.allSatisfy(\.isNumber)
  }

  /// The name to use for a port: the link of Raspberry Pi OS, if it leads there.
  static func name(of path: String, _ tree: SystemTree) -> String {
    tree.target(pins) == path ? pins : path
  }

  /// The ports at which a receiver may be, that of the pins first. A PC has up to 32 nodes, most of
  /// them without a UART.
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

  /// The names to use for these ports.
  static func names(_ tree: SystemTree) -> [String] {
    paths(tree).map { name(of: $0, tree) }
  }

  /// The names of the ports that may be opened without being named by the user. Listening changes
  /// the speed of a port, which a console, the device of a PC or another HAT may need.
  static func harmlessNames(_ tree: SystemTree) -> [String] {
    guard let pi = RaspberryPi(tree) else { return [] }
    let pins = pi.isFive ? "/dev/ttyAMA0" : tree.target(pins)
    return paths(tree).filter { $0 == pins && OnboardPort($0, tree).console == .none }
      .map { name(of: $0, tree) }
  }

  /// Whether the kernel found a UART: it gives the others the type 0.
  private static func isReal(_ path: String, _ tree: SystemTree) -> Bool {
    (tree.number("/sys/class/tty/\(Folder.name(of: path))/type") ?? 0) != 0
  }

  /// Looks at what the system does with a port.
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
    // The firmware of a Raspberry Pi usually writes the port's own name in place of 'serial0'.
    let names = isPins ? [name, "serial0"] : [name]
    let words = (tree.line("/proc/cmdline") ?? "").split(separator: " ")
    let hasMessages =
      words.contains { word in
        names.contains { word == "console=\($0)" || word.hasPrefix("console=\($0),") }
      }
      || (tree.line("/sys/class/tty/console/active") ?? "").split(separator: " ")
        .contains { $0 == name }
    let runs = tree.processes(named: "agetty").contains { process in
      // systemd's units give it a '-' for the port that is its standard input.
      tree.link("/proc/\(process)/fd/0") == "/dev/\(name)"
        || (tree.text("/proc/\(process)/cmdline") ?? "").split(separator: "\0")
          .contains { word in names.contains { word == $0 || word == "/dev/\($0)" } }
    }
    let isWanted = ["/etc/systemd/system", "/run/systemd/generator"].contains { folder in
      mayBeWanted.contains { !tree.link("\(folder)/\($0)").isEmpty }
    }
    // systemd starts a login on each console of the kernel, unless the command line forbids it.
    let isAutomatic = !["no", "0", "false"].contains { words.contains("systemd.getty_auto=\($0)") }
    if runs || (isWanted || hasMessages && isAutomatic) && !isMasked { return .login }
    return hasMessages ? .messages : .none
  }
}
