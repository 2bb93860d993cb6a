/// The state of gpsd on this computer or another.
struct GPSDaemon: Hashable, Sendable {
  /// The answer of a gpsd to a client that does not wake its receivers.
  enum Answer: Hashable, Sendable {
    /// Not asked: that would start it, or nothing listens.
    case notAsked
    /// It does not answer.
    case none
    /// It has receivers at these paths.
    case receivers([String])
  }

  /// The state of its systemd units.
  struct Units: Hashable, Sendable {
    /// Whether `gpsd.service` runs.
    var isActive: Bool
    /// Whether `gpsd.service` starts at boot.
    var service: Bool
    /// Whether `gpsd.socket` starts at boot, which starts the service when a client connects.
    var socket: Bool
  }

  /// Its address for a person; `gpsd` on this computer.
  var name = "gpsd"
  /// Whether it is on another computer, of which only the answer is known.
  var isRemote = false
  /// Whether the user named it as the source.
  var isNamed = false
  var isInstalled: Bool
  var isRunning: Bool
  /// Whether gpsd, or systemd for it, listens on its port.
  var isListening: Bool
  /// The answer to a client.
  var answer = Answer.notAsked
  /// Its units; `nil` without systemd.
  var units: Units?

  /// The paths of its receivers on this computer.
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
        "gpsd is running, but does not answer",
        remedy: "try again in a moment, or restart it with 'sudo systemctl restart gpsd'")
    case .notAsked: return absenceFinding
    }
  }

  /// Works now; a warning if it will not after the next boot.
  private func startFinding(_ paths: String) -> Finding {
    let text = "gpsd has \(paths)"
    guard let units, !units.service else { return .ok(.gpsd, text) }
    return units.socket
      ? .warning(
        .gpsd, "\(text), but after boot it starts only when a client connects", remedy: Self.awake)
      : .warning(
        .gpsd, "\(text), but does not start at boot",
        remedy: "enable it with 'sudo systemctl enable gpsd'")
  }

  /// Not running, or cannot be asked without being started.
  private var absenceFinding: Finding {
    if isListening {
      return .warning(
        .gpsd, "gpsd starts only when a client connects: the first position comes late",
        remedy: Self.awake)
    }
    if isRunning {
      return problem(
        "gpsd is running, but does not listen on a port of this computer",
        remedy: "start it with 'sudo systemctl restart gpsd.socket gpsd'")
    }
    guard isInstalled else {
      return isNamed
        ? .fault(.gpsd, "gpsd is not installed", remedy: "install it with 'sudo apt install gpsd'")
        : .ok(.gpsd, "gpsd is not installed, and not needed")
    }
    guard isNamed else {
      return .ok(.gpsd, "gpsd is not running: Footbridge reads receivers itself")
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
      .ok(.gpsd, "\(name) has \(paths.joined(separator: ", "))")
    case .receivers:
      .fault(
        .gpsd, "\(name) answers, but has no receiver", remedy: "plug the receiver in there")
    case .none, .notAsked:
      .fault(
        .gpsd, "\(name) does not answer",
        remedy: "check the host, and that its gpsd runs with the option -G")
    }
  }

  /// A fault if the user named gpsd as the source, else a warning.
  private func problem(_ text: String, remedy: String) -> Finding {
    Finding(check: .gpsd, level: isNamed ? .fault : .warning, text: text, remedy: remedy)
  }
}
