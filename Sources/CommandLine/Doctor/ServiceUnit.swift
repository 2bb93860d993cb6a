/// The systemd unit `footbridge.service`, which starts the gateway at boot.
struct ServiceUnit: Hashable, Sendable {
  static let name = "footbridge.service"

  /// Whether the unit file exists.
  var isInstalled: Bool
  /// Whether a link enables the unit at boot.
  var isLinked: Bool
  /// The unit's state; `nil` if systemd does not respond.
  var unit: SystemdUnits.Unit?

  var finding: Finding {
    guard isInstalled || unit?.start != nil else {
      return .ok(.service, "\(Self.name) is not installed: recordings must be started manually")
    }
    guard let unit else {
      return isLinked
        ? .ok(.service, "\(Self.name) is installed and enabled; systemd does not respond")
        : .ok(.service, "\(Self.name) is installed; systemd does not respond")
    }
    if unit.start == nil {
      return .warning(
        .service, "\(Self.name) is installed, but systemd has not loaded it",
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
        "\(Self.name) \(unit.activity == "active" ? "is running, but" : "is installed, but") does not "
          + "start at boot (\(unit.start ?? ""))",
        remedy: "enable it with 'sudo systemctl enable --now footbridge'")
    }
    switch unit.activity {
    case "active": return .ok(.service, "\(Self.name) starts at boot, and is running")
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

  /// Looks for the unit file, and reads the state from systemd.
  init(_ tree: SystemTree, _ units: SystemdUnits?) {
    isInstalled = Self.folders.contains { tree.exists("\($0)/\(Self.name)") }
    isLinked = !tree.link("/etc/systemd/system/multi-user.target.wants/\(Self.name)").isEmpty
    unit = units?.units[Self.name]
  }
}
