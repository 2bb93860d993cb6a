internal import MetaWearProtocol
internal import Recording
internal import Terminal
internal import Values

/// `footbridge sensors`: lists the signals that a model can record.
struct SensorsCommand: Verb {
  /// The model for which to list the signals.
  var board = KnownBoard.metaMotionS
  var reportsJSON = false

  static let options: [Option<SensorsCommand>] = [
    .option(
      "board", .word("MODEL"), default: SensorsCommand().board,
      help: "the model: " + KnownBoard.words, sets: \.board),
    .flag("json", help: "print the list as JSON", sets: \.reportsJSON),
  ]

  static let definition = CommandDefinition<SensorsCommand>(
    name: "sensors", summary: "list the signals that a board model can record",
    discussion: """
      Lists the signals of a model with their units, the rates and ranges of its chips, and the \
      layouts in which they can be sent: the values for 'footbridge record --sensor'. If no range \
      is given, a signal uses the widest one. A recording queries the board itself, whose firmware \
      may support other values.
      """,
    initial: { _ in SensorsCommand() }, options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let modules = ModuleTable.preset(for: board.model) ?? ModuleTable()
    try console.print(
      reportsJSON
        ? JSONValue.array(modules.sensors.map(Self.json)).text
        : Self.text(modules).joined(separator: "\n"))
    return .ok
  }

  private static func text(_ modules: ModuleTable) -> [String] {
    var table = TextTable([
      .init("signal"), .init("unit"), .init("chip"), .init("Hz"), .init("ranges"),
    ])
    for sensor in modules.sensors {
      table.append([
        sensor.signal, sensor.unit, sensor.chipName, list(sensor.rates),
        sensor.ranges.isEmpty ? "-" : list(sensor.ranges),
      ])
    }
    return table.lines
  }

  /// Formats numbers with at most three decimal places. Some chips' rates are not round numbers.
  private static func list(_ numbers: [Double]) -> String {
    numbers.map { NumberText.plain(($0 * 1_000).rounded() / 1_000) }.joined(separator: " ")
  }

  private static func json(_ sensor: any Sensor) -> JSONValue {
    let layouts = StreamLayout.Kind.allCases.filter { kind in
      (try? sensor.setup(rate: sensor.rates[0], range: nil)).map { kind.fits($0.samples) } ?? false
    }
    return .object([
      .init("signal", sensor.signal), .init("unit", sensor.unit), .init("axes", sensor.axes),
      .init("chip", sensor.chipName), .init("rates", sensor.rates),
      .init("ranges", sensor.ranges), .init("streams", sensor.isStreaming),
      .init("layouts", layouts.map(\.rawValue)),
    ])
  }
}
