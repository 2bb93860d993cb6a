internal import BoardDriver
internal import Gateway
internal import MetaWearProtocol
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// Formats a forecast as text and as JSON. Estimates are marked as such, and have no more digits
/// than their precision justifies.
enum ForecastText {
  /// Formats the forecast as lines at most `width` columns wide.
  static func lines(_ forecast: Forecast, within width: Int = .max) -> [String] {
    TerminalText.folded(headline(forecast), to: width) + [""]
      + boards(forecast).lines(within: width) + [""] + disk(forecast).lines(within: width) + [""]
      + notes(forecast)
  }

  private static func headline(_ forecast: Forecast) -> String {
    let rate = NumberText.grouped(UInt64(forecast.sampleRate.rounded()))
    let sensors = forecast.settings.sensors.map(\.text).joined(separator: " and ")
    return "\(NumberText.count(forecast.boards.count, "board")) with \(sensors), every "
      + "\(NumberText.plain(forecast.settings.pace.milliseconds)) ms: \(rate) samples per second"
  }

  private static func boards(_ forecast: Forecast) -> TextTable {
    var table = TextTable([
      .init("board"), .init("model"), .init("current", .right), .init("battery"), .init("lasts"),
      .init("a full battery lasts"), .init("memory holds"),
    ])
    for part in forecast.boards {
      let board = part.board
      table.append([
        TerminalText.harmless(board.name),
        "\(board.model)" + (board.isModelGuessed ? " (assumed)" : ""),
        "~\(NumberText.fixed(part.current, decimals: 1)) mA",
        board.charge.map(charge) ?? "unknown", part.hours.map(hours) ?? "–",
        part.fullHours.map(hours) ?? "unknown",
        part.memoryHours.map { DurationText.short($0 * 3_600) } ?? "–",
      ])
    }
    return table
  }

  private static func charge(_ charge: Forecast.Charge) -> String {
    "\(charge.percent) %" + (charge.age.map { ", \(DurationText.short($0)) ago" } ?? "")
  }

  /// Formats hours as in `8 to 12 h`, or as minutes below five hours. Rounds down, because
  /// underestimating does less harm than overestimating.
  static func hours(_ range: ClosedRange<Double>) -> String {
    if range.upperBound >= 5 {
      let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
      return low == high ? "~\(low) h" : "\(low) to \(high) h"
    }
    func tens(_ hours: Double) -> Int { Int(hours * 6) * 10 }
    return "\(tens(range.lowerBound)) to \(tens(range.upperBound)) min"
  }

  private static func disk(_ forecast: Forecast) -> TextTable {
    var table = TextTable([.init(), .init(), .init()])
    let disk = forecast.disk
    let free = "\(ByteText.short(disk.free)) free, \(ByteText.short(disk.room)) for recordings"
    let lasts = forecast.days.map(days).map { "lasts \($0)" } ?? "nothing is added"
    table.append(["store", aDay(forecast.storedPerDay), "\(lasts): \(free)"])
    let action =
      switch disk.whenFull {
      case .stop: "then recordings end"
      case .dropUploaded: "then chunks already sent to every destination are deleted"
      case .dropOldest: "then the oldest chunks are deleted"
      }
    table.append(["", "", action])
    table.append(["upload", aDay(forecast.sentPerDay), "to each destination"])
    let years = forecast.cardYears.map { years in
      "a \(ByteText.short(disk.size)) card rated for "
        + "\(Int(Forecast.rewritings)) rewrites lasts \(self.years(years))"
    }
    table.append(["written", aDay(forecast.writtenPerDay), years ?? ""])
    return table
  }

  private static func aDay(_ bytes: Double) -> String {
    let text = ByteText.short(UInt64(rounded(bytes)))
    // '110.0 MB' would show two digits that are not significant.
    let parts = text.split(separator: " ")
    let number = parts[0].hasSuffix(".0") ? parts[0].dropLast(2) : parts[0]
    return "~\(number) \(parts[1]) a day"
  }

  /// Rounds to two significant digits, because the measurements do not justify more.
  private static func rounded(_ value: Double) -> Double {
    var unit = 1.0
    while value / unit >= 100 { unit *= 10 }
    return (value / unit).rounded() * unit
  }

  /// Formats a number of days, as in `35 days` and `9 h`.
  static func days(_ days: Double) -> String {
    switch days {
    case 3_650...: "more than 10 years"
    case 2...: "about \(Int(rounded(days))) days"
    default: DurationText.short(days * 86_400)
    }
  }

  private static func years(_ years: Double) -> String {
    switch years {
    case 50...: "more than 50 years"
    case 2...: "about \(Int(years)) years"
    default: "about \(max(1, Int(years * 12))) months"
    }
  }

  private static func notes(_ forecast: Forecast) -> [String] {
    let guessed = forecast.boards.contains { $0.board.isModelGuessed }
    let packets = forecast.mostPackets.rounded()
    return HelpText.wrapped(
      "All figures are estimates. Batteries: based on the manufacturer's figures for current "
        + "draw, less up to 30 % for age and cold; no board was measured, and each board estimates "
        + "its own charge from the voltage. Bytes: for a whole day of walking; 30 % less at rest, "
        + "50 % more while running.")
      + walking(forecast.settings.detector)
      + (guessed
        ? HelpText.wrapped(
          "A model is assumed for boards that 'footbridge pair' has not read yet.") : [])
      + (packets > StreamForecast.mostPackets
        ? HelpText.wrapped(
          "\(Int(packets)) packets per second are more than one link is known to deliver: expect losses."
        )
        : [])
  }

  /// Returns notes about a recording that covers only walks.
  private static func walking(_ detector: WalkingSettings.Detector?) -> [String] {
    switch detector {
    case nil: []
    case .gateway:
      HelpText.wrapped(
        "With 'when = walking', only walks are stored and sent, but boards stream all the time.")
    case .board:
      HelpText.wrapped(
        "With 'detector = board', hours and bytes count walks only: boards stream only during "
          + "walks. Their current between walks is unknown.")
    }
  }

  // MARK: Programs

  /// Formats the forecast as JSON, with all digits.
  static func json(_ forecast: Forecast) -> JSONValue {
    func range(_ range: ClosedRange<Double>?) -> JSONValue {
      range.map { [$0.lowerBound.json(decimals: 1), $0.upperBound.json(decimals: 1)] } ?? .null
    }
    let boards = forecast.boards.map { part in
      JSONValue.object([
        .init("name", part.board.name), .init("model", "\(part.board.model)"),
        .init("modelAssumed", part.board.isModelGuessed),
        .init("milliamperes", part.current.json(decimals: 3)),
        .init("battery", part.board.charge?.percent),
        .init("batteryAge", part.board.charge?.age?.rounded()),
        .init("memoryHours", part.memoryHours.json(decimals: 1)), .init("hours", range(part.hours)),
        .init("hoursWhenFull", range(part.fullHours)),
        .init(
          "streams",
          .array(
            part.streams.map { stream in
              .object([
                .init("signal", stream.description.signal), .init("rate", stream.description.rate),
                .init("packetsPerSecond", stream.packetRate),
              ])
            })),
      ])
    }
    func integer(_ value: Double) -> JSONValue { .integer(Int64(value.rounded())) }
    let disk = forecast.disk
    return .object([
      .init("isEstimate", true), .init("boards", .array(boards)),
      .init("intervalMilliseconds", forecast.settings.pace.milliseconds),
      .init("positions", forecast.settings.hasPositions),
      .init("detector", forecast.settings.detector?.rawValue),
      .init("samplesPerSecond", forecast.sampleRate),
      .init("storedBytesPerDay", integer(forecast.storedPerDay)),
      .init("uploadBytesPerDay", integer(forecast.sentPerDay)),
      .init("deviceBytesPerDay", integer(forecast.writtenPerDay)),
      .init(
        "store",
        .object([
          .init("path", disk.path), .init("free", disk.free), .init("room", disk.room),
          .init("size", disk.size), .init("whenFull", disk.whenFull.rawValue),
          .init("days", forecast.days.json(decimals: 1)),
        ])),
      .init("cardYears", forecast.cardYears.json(decimals: 1)),
    ])
  }
}
