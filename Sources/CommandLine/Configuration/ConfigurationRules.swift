internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Sharing

/// Checks the rules that involve several keys of a configuration.
struct ConfigurationRules {
  private typealias Place = ConfigurationReading.Place

  private let file: String
  private let lines: [ConfigurationReading.Place: [Int]]
  /// Combinations of settings that cannot work.
  private(set) var faults: [ConfigurationFault] = []
  /// Warnings about lines that have no effect or an unlikely value.
  private(set) var hints: [ConfigurationFault] = []

  /// Checks a configuration. Keys in `faulty` are skipped, because their values are invalid.
  init(
    _ configuration: GatewayConfiguration, _ lines: [ConfigurationReading.Place: [Int]],
    faulty: Set<ConfigurationReading.Place>, file: String
  ) {
    self.file = file
    self.lines = lines
    func isJudged(_ section: ConfigurationSection, _ keys: String...) -> Bool {
      keys.allSatisfy { !faulty.contains(Place(section: section, key: $0)) }
    }
    if isJudged(.sensors, "sensor") { judgeSensors(configuration) }
    if isJudged(.recording, "when", "hours") { judgeHours(configuration) }
    if isJudged(.recording, "when", "detector", "lead", "pre-roll", "without-receiver") {
      judgeWalking(configuration)
    }
    if configuration.liveLocation != nil, configuration.recording.receiver == nil,
      isJudged(.receiver, "gps")
    {
      faults.append(
        remark(
          .sharing, "live-location", "'live-location' needs a position source",
          "set 'gps' in [receiver], or remove 'live-location'"))
    }
    judgeSharing(configuration)
    judgePage(configuration)
    if configuration.boards.isEmpty {
      hints.append(
        ConfigurationFault(
          file: file, line: nil, key: nil,
          message: "no boards are configured, so nothing is recorded",
          remedy: "add [board NAME] with its address, which 'footbridge scan' shows"))
    }
    if let warning = configuration.recording.pace?.warning(boards: configuration.boards.count) {
      hints.append(remark(.sensors, "interval", warning, "remove 'interval'"))
    }
    if configuration.uploads == .never, !configuration.destinations.isEmpty {
      hints.append(
        remark(
          .upload, "destination", "nothing is uploaded because 'when' is 'never'",
          "set 'when = always', or remove 'destination'"))
    }
    if let address = configuration.prometheus, !address.isLoopback {
      hints.append(
        remark(
          .status, "prometheus", "other computers can read the status of this gateway",
          "use 127.0.0.1:\(address.port) to prevent that"))
    }
  }

  private mutating func judgePage(_ configuration: GatewayConfiguration) {
    if (configuration.page.certificate == nil) != (configuration.page.key == nil) {
      let isKey = configuration.page.certificate == nil
      faults.append(
        remark(
          .web, isKey ? "certificate-key" : "certificate",
          "'certificate' and 'certificate-key' must be used together",
          "edit the file, and set both or neither"))
    }
    guard let address = configuration.pageAddress else { return }
    if !address.isLoopback, configuration.page.certificate == nil {
      hints.append(
        remark(
          .web, "listen", "the page is not encrypted: anyone in radio range can read it",
          "set 'certificate' and 'certificate-key' to encrypt it"))
    }
  }

  /// Reports sensors that no known model supports. Further limits depend on the actual boards,
  /// which are not known yet.
  private mutating func judgeSensors(_ configuration: GatewayConfiguration) {
    guard let (index, failure) = SensorFit.failure(of: configuration.recording.sensors) else {
      return
    }
    let lines = lines[Place(section: .sensors, key: "sensor")] ?? []
    faults.append(
      ConfigurationFault(
        file: file, line: lines.indices.contains(index) ? lines[index] : nil, key: "sensors.sensor",
        message: failure.message, remedy: failure.remedy))
  }

  private mutating func judgeHours(_ configuration: GatewayConfiguration) {
    if configuration.rule.time == .hours, configuration.rule.hours == nil {
      faults.append(
        remark(
          .recording, "when", "'when = hours' needs 'hours'", "add them, as in hours = 07:00-19:00"
        ))
    }
    if configuration.rule.time != .hours, configuration.rule.hours != nil {
      hints.append(
        remark(
          .recording, "hours", "'hours' has no effect without 'when = hours'",
          "set 'when = hours', or remove 'hours'"))
    }
  }

  private mutating func judgeWalking(_ configuration: GatewayConfiguration) {
    guard configuration.rule.time == .walking else {
      for key in ["detector", "lead", "pre-roll", "without-receiver"]
      where lines[Place(section: .recording, key: key)] != nil {
        hints.append(
          remark(
            .recording, key, "'\(key)' has no effect without 'when = walking'",
            "set 'when = walking', or remove '\(key)'"))
      }
      return
    }
    if let obstacle = Self.obstacle(to: .walking, with: configuration.recording.sensors) {
      faults.append(remark(.recording, "when", obstacle.message, obstacle.remedy))
    }
    if configuration.walking.preRoll < configuration.walking.lead + Self.leastReserve {
      hints.append(
        remark(
          .recording, "pre-roll", "a session may begin after the first step",
          "set 'pre-roll' to \(Int(configuration.walking.lead + Self.leastReserve)) or more"))
    }
  }

  private mutating func judgeSharing(_ configuration: GatewayConfiguration) {
    guard let broker = configuration.sharing.broker else {
      for key in Self.sharingKeys where lines[Place(section: .sharing, key: key)] != nil {
        hints.append(
          remark(
            .sharing, key, "'\(key)' has no effect without 'broker'",
            "set 'broker', or remove '\(key)'"))
      }
      return
    }
    if broker.namesPassword {
      faults.append(
        remark(
          .sharing, "broker", "other users may be able to read a password in the address",
          "put the password in a file that nobody else may read, and set 'password-file' to its "
            + "path"))
    }
    if configuration.sharing.fleet == nil {
      faults.append(
        remark(
          .sharing, "broker", "'broker' needs 'fleet'",
          "set the name of the fleet, as in "
            + "fleet = study"))
    }
    let name = configuration.plan.gateway
    if !LiveTopic.isName(name) {
      faults.append(
        remark(
          .sharing, "broker", "the broker cannot use the name of this gateway",
          "set a 'name' in [gateway] with \(LiveTopic.nameRule)"))
    }
    if configuration.sharing.time == .hours, configuration.sharing.hours == nil {
      faults.append(
        remark(
          .sharing, "when", "'when = hours' needs 'hours'", "add them, as in hours = 07:00-19:00"))
    }
    if configuration.sharing.validity < 3 * configuration.sharing.interval {
      faults.append(
        remark(
          .sharing, "expires", "'expires' is less than three times 'least-interval'",
          "set 'expires' to \(Int(3 * configuration.sharing.interval)) or more"))
    }
    if configuration.sharing.passwordFile != nil, broker.user == nil {
      hints.append(
        remark(
          .sharing, "password-file", "'password-file' has no effect without a user",
          "add the user to 'broker', as in mqtts://trolley@broker.example.org"))
    }
  }

  private static let sharingKeys = [
    "fleet", "password-file", "ca-file", "share", "when", "hours", "least-distance",
    "least-interval",
    "expires",
  ]

  /// Returns the reason why these sensors cannot record at these times; `nil` if they can.
  static func obstacle(
    to time: RecordingTime, with sensors: [SensorRequest]
  ) -> (message: String, remedy: String)? {
    guard time == .walking, !sensors.contains(where: { WalkingSettings.recognisesWalking($0) })
    else { return nil }
    return (
      "'when = walking' needs an accelerometer at 12 Hz or more",
      "add 'sensor = acceleration@100' in [sensors]"
    )
  }

  /// Seconds by which 'pre-roll' should exceed 'lead': the time needed to detect that the wearer is
  /// walking, plus a short pause.
  private static let leastReserve = 15.0

  private func remark(
    _ section: ConfigurationSection, _ key: String, _ message: String, _ remedy: String
  ) -> ConfigurationFault {
    ConfigurationFault(
      file: file, line: lines[Place(section: section, key: key)]?.first,
      key: "\(section.rawValue).\(key)", message: message, remedy: remedy)
  }
}
