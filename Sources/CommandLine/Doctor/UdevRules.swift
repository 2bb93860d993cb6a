internal import LinuxSystem
internal import Values

/// A udev rules file that comes with Footbridge, and its installed copy's state.
struct UdevRules: Hashable, Sendable {
  /// The state of a rules file's installed copy.
  enum Installation: Hashable, Sendable {
    /// No file of that name is installed.
    case missing
    /// This user may not read the file at this path.
    case unreadable(String)
    /// The file at this path exists, but does not contain all rules of this release; `missing` is
    /// the number of absent rules.
    case there(String, missing: Int)
  }

  var name: String
  /// The purpose of the rules, worded as the end of a sentence.
  var purpose: String
  /// Whether a connected device needs the rules.
  var isNeeded: Bool
  var installation: Installation

  var finding: Finding {
    let install =
      "copy udev/\(name) to /etc/udev/rules.d, run 'sudo udevadm control --reload' and reconnect the "
      + "device"
    switch installation {
    case .missing where isNeeded:
      return .warning(.udev, "\(name) is not installed; this file \(purpose)", remedy: install)
    case .missing:
      return .ok(.udev, "\(name) is not installed, and no connected device needs it")
    case .unreadable(let path):
      return .warning(
        .udev, "cannot read \(path)",
        remedy: "make it readable with 'sudo chmod 644 \(ShellText.quoted(path))'")
    case .there(let path, missing: 0):
      return .ok(.udev, "\(path) contains all rules of this release")
    case .there(let path, let missing):
      return .warning(
        .udev,
        "\(path) is missing \(missing) \(missing == 1 ? "rule" : "rules") of this release",
        remedy: install)
    }
  }
}

extension UdevRules {
  private static let folders = [
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
  ]

  /// Returns both rules files. One is needed for serial ports on USB, the other for Bluetooth
  /// adapters on USB.
  static func all(_ tree: SystemTree) -> [UdevRules] {
    let ports = tree.names("/dev").contains { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") }
    let adapters = AdapterHardware.all(tree).contains { $0.way == .usb }
    return [
      UdevRules(
        name: "60-footbridge-gps.rules",
        purpose: "names receivers, assigns them to the group 'dialout', and makes ModemManager "
          + "ignore them",
        isNeeded: ports, tree),
      UdevRules(
        name: "61-footbridge-bluetooth.rules", purpose: "keeps adapters awake",
        isNeeded: adapters, tree),
    ]
  }

  private init(name: String, purpose: String, isNeeded: Bool, _ tree: SystemTree) {
    self.name = name
    self.purpose = purpose
    self.isNeeded = isNeeded
    // If several folders contain a file of the same name, udev reads only the first.
    guard let path = Self.folders.map({ "\($0)/\(name)" }).first(where: { tree.exists($0) }) else {
      installation = .missing
      return
    }
    guard let text = tree.text(path) else {
      installation = .unreadable(path)
      return
    }
    let installed = Set(Self.rules(in: text))
    let missing = (Self.rules[name] ?? []).filter { !installed.contains($0) }
    installation = .there(path, missing: missing.count)
  }

  /// Returns the rules in a file's text. Comments are removed, and each rule is on one line with
  /// single spaces between words.
  static func rules(in text: String) -> [String] {
    var rules: [String] = []
    var start = ""
    for line in text.split(separator: "\n") {
      let words = start + line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      start = ""
      // In udev, a comment can begin only at the start of a line.
      guard !words.isEmpty, !words.hasPrefix("#") else { continue }
      if words.hasSuffix("\\") {
        start = String(words.dropLast())
      } else {
        rules.append(words)
      }
    }
    return rules
  }
}
