internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Values

/// Summarises a configuration in one sentence, and formats the result of checking it.
enum ConfigurationSummary {
  /// Returns a summary such as "2 boards, 2 sensors, positions from /dev/gps0, always records,
  /// uploads to home".
  static func text(_ configuration: GatewayConfiguration) -> String {
    [
      count(configuration.boards.count, "board"),
      count(configuration.recording.sensors.count, "sensor"),
      configuration.recording.receiver.map { "positions from \($0)" } ?? "no positions",
      recording(configuration), upload(configuration),
    ].joined(separator: ", ")
  }

  static func lines(_ reading: ConfigurationReading) -> [String] {
    guard reading.faults.isEmpty else {
      return reading.faults.map(\.description) + hints(reading)
        + [ConfigurationFaults.count(reading.faults.count)]
    }
    return hints(reading)
      + [TerminalText.harmless("\(reading.file) is valid: \(text(reading.configuration)).")]
  }

  private static func hints(_ reading: ConfigurationReading) -> [String] {
    reading.hints.map { "hint: " + $0.description }
  }

  static func json(_ reading: ConfigurationReading) -> JSONValue {
    .object([
      .init("file", reading.file), .init("valid", reading.faults.isEmpty),
      .init("faults", .array(reading.faults.map(json))),
      .init("hints", .array(reading.hints.map(json))),
      .init("summary", reading.faults.isEmpty ? text(reading.configuration).json : .null),
    ])
  }

  private static func json(_ fault: ConfigurationFault) -> JSONValue {
    .object([
      .init("line", fault.line), .init("key", fault.key), .init("message", fault.message),
      .init("remedy", fault.remedy),
    ])
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 0 ? "no \(noun)s" : NumberText.count(number, noun)
  }

  private static func recording(_ configuration: GatewayConfiguration) -> String {
    switch configuration.rule.time {
    case .always: "always records"
    case .hours: "records " + (configuration.rule.hours.map { "at \($0)" } ?? "at no time")
    case .walking where configuration.walking.detector == .board:
      "records while someone walks, when a board detects it"
    case .walking: "records while someone walks"
    case .command: "records on command"
    }
  }

  private static func upload(_ configuration: GatewayConfiguration) -> String {
    let names = configuration.destinations
    let places = names.isEmpty ? "all destinations" : names.joined(separator: " and ")
    return switch configuration.uploads {
    case .always: "uploads to \(places)"
    case .never: "uploads nothing"
    case .notRecording: "uploads to \(places) between recordings"
    }
  }
}
