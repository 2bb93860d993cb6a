/// The state of gpsd on this computer or on another one.
struct GPSDaemon: Hashable, Sendable {
  /// gpsd's response to a client that requests the list of receivers without waking them.
  enum Answer: Hashable, Sendable {
    /// No request was sent, because it would have started gpsd, or because nothing is listening on
    /// the port.
    case notAsked
    /// gpsd did not respond.
    case none
    /// gpsd listed receivers at these paths.
    case receivers([String])
  }

  /// The state of gpsd's systemd units.
  struct Units: Hashable, Sendable {
    /// Whether `gpsd.service` is running.
    var isActive: Bool
    /// Whether `gpsd.service` starts at boot.
    var service: Bool
    /// Whether `gpsd.socket`, which starts the service when a client connects, starts at boot.
    var socket: Bool
  }

  /// The daemon's name in findings, with the host if it is on another computer.
  var name = "gpsd"
  /// Whether gpsd runs on another computer, where only its response can be checked.
  var isRemote = false
  /// Whether the user named gpsd as the position source.
  var isNamed = false
  var isInstalled: Bool
  var isRunning: Bool
  /// Whether gpsd, or systemd on its behalf, is listening on gpsd's port.
  var isListening: Bool
  var answer = Answer.notAsked
  /// The systemd units' states; `nil` if the computer does not use systemd.
  var units: Units?

  /// The paths of gpsd's receivers, if gpsd runs on this computer.
  var paths: [String] {
    if !isRemote, case .receivers(let paths) = answer { paths } else { [] }
  }

  private static let awake =
    "write GPSD_OPTIONS=\"-n\" in /etc/default/gpsd, then 'sudo systemctl enable --now gpsd'"
  private static let device =
    "name the receiver in DEVICES= in /etc/default/gpsd, then 'sudo systemctl restart gpsd'"

  var findings: [Finding] { [finding] }

  private var finding: Finding {
    if isRemote { return remoteFinding }
    switch answer {
    case .receivers(let paths) where paths.isEmpty:
      return problem("gpsd is running, but has no receiver", remedy: Self.device)
    case .receivers(let paths): return startFinding(paths.joined(separator: ", "))
    case .none:
      return problem(
        "gpsd is running, but does not respond",
        remedy: "try again in a moment, or restart it with 'sudo systemctl restart gpsd'")
    case .notAsked: return absenceFinding
    }
  }

  /// Returns the finding for a working gpsd: a warning if gpsd will no longer work after the next
  /// boot.
  private func startFinding(_ paths: String) -> Finding {
    let text = "gpsd uses \(paths)"
    guard let units, !units.service else { return .ok(.gpsd, text) }
    return units.socket
      ? .warning(
        .gpsd, "\(text), but after boot it starts only when a client connects", remedy: Self.awake)
      : .warning(
        .gpsd, "\(text), but does not start at boot",
        remedy: "enable it with 'sudo systemctl enable gpsd'")
  }

  /// The finding if gpsd is not running, or cannot be queried without starting it.
  private var absenceFinding: Finding {
    if isListening {
      return .warning(
        .gpsd, "gpsd starts only when a client connects, so the first position is delayed",
        remedy: Self.awake)
    }
    if isRunning {
      return problem(
        "gpsd is running, but is not listening on any port of this computer",
        remedy: "start it with 'sudo systemctl restart gpsd.socket gpsd'")
    }
    guard isInstalled else {
      return isNamed
        ? .fault(.gpsd, "gpsd is not installed", remedy: "install it with 'sudo apt install gpsd'")
        : .ok(.gpsd, "gpsd is not installed, and not needed")
    }
    guard isNamed else {
      return .ok(.gpsd, "gpsd is not running; Footbridge reads receivers directly")
    }
    return .fault(
      .gpsd,
      "gpsd is not running"
        + (units.map { !$0.service && !$0.socket } == true ? ", and does not start at boot" : ""),
      remedy: "start it, now and at each boot, with 'sudo systemctl enable --now gpsd'")
  }

  private var remoteFinding: Finding {
    switch answer {
    case .receivers(let paths) where !paths.isEmpty:
      .ok(.gpsd, "\(name) uses \(paths.joined(separator: ", "))")
    case .receivers:
      .fault(
        .gpsd, "\(name) responds, but has no receiver",
        remedy: "connect the receiver to that computer")
    case .none, .notAsked:
      .fault(
        .gpsd, "\(name) does not respond",
        remedy: "check the host, and check that gpsd is running there with the option -G")
    }
  }

  /// Returns the finding for a problem with gpsd: a fault if the user named gpsd as the source, or
  /// else a warning.
  private func problem(_ text: String, remedy: String) -> Finding {
    Finding(check: .gpsd, level: isNamed ? .fault : .warning, text: text, remedy: remedy)
  }
}
