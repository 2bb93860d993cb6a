/// The unit `footbridge.service`, which records whenever the computer is up.
struct ServiceUnit: Hashable, Sendable {
  static let name = "footbridge.service"

  /// Whether the file of the unit exists.
  var isInstalled: Bool
  /// Whether a link starts it at boot.
  var isLinked: Bool
  /// The state in systemd; `nil` if systemd does not answer.
  var unit: SystemdUnits.Unit?

  var finding: Finding {
    guard isInstalled || unit?.start != nil else {
      return .ok(.service, "\(Self.name) is not installed: recordings are started by hand")
    }
    guard let unit else {
      return isLinked
        ? .ok(.service, "\(Self.name) is installed and enabled; systemd does not answer here")
        : .ok(.service, "\(Self.name) is installed; systemd does not answer here")
    }
    if unit.start == nil {
      return .warning(
        .service, "\(Self.name) is installed, but systemd has not read it",
        remedy: "run 'sudo systemctl daemon-reload'")
    }
    if unit.activity == "failed" {
      return .fault(
        .service, "\(Self.name) has failed",
        remedy: "see 'journalctl -u footbridge' for the reason")
    }
    let isEnabled = unit.start?.hasPrefix("enabled") ?? false
    guard isEnabled else {
      return .warning(
        .service,
        "\(Self.name) \(unit.activity == "active" ? "records, but" : "is installed, but") does not "
          + "start at boot (\(unit.start ?? ""))",
        remedy: "enable it with 'sudo systemctl enable --now footbridge'")
    }
    switch unit.activity {
    case "active": return .ok(.service, "\(Self.name) starts at boot, and records")
    case "activating", "reloading":
      return .warning(
        .service, "\(Self.name) is starting, perhaps repeatedly",
        remedy: "see 'journalctl -u footbridge' for the reason")
    default:
      return .warning(
        .service, "\(Self.name) starts at boot, but is not running now",
        remedy: "start it with 'sudo systemctl start footbridge'")
    }
  }
}

extension ServiceUnit {
  private static let folders = [
    "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system", "/lib/systemd/system",
  ]

  /// Looks for its file, and takes the state from systemd.
  init(_ tree: SystemTree, _ units: SystemdUnits?) {
    isInstalled = Self.folders.contains { tree.exists("\($0)/\(Self.name)") }
    isLinked = !tree.link("/etc/systemd/system/multi-user.target.wants/\(Self.name)").isEmpty
    unit = units?.units[Self.name]
  }
}
