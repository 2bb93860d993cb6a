internal import MetaWearProtocol

extension SensorControl: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .power(_, .off): Statement("stops measuring")
    case .power(_, .on): Statement("starts measuring")
    case .power(.magnetometer, .low): Statement("suspends the chip, which forgets its settings")
    case .power(_, .low): Statement("starts measuring in low-power mode")
    case .dataReady(_, let isOn), .plainDataReady(let isOn):
      Statement(
        isOn ? "sends finished samples" : "holds finished samples back",
        remarks: objections(in: context))
    }
  }

  /// Returns remarks on a data-ready command of unexpected length. One chip expects one byte here,
  /// all others expect two.
  private func objections(in context: Context) -> [String] {
    guard command.header.module == .accelerometer,
      let sensor = context.board.modules.accelerometer,
      sensor.enableDataReady.bytes.count != command.bytes.count
    else { return [] }
    return [
      "the \(sensor.chipName) takes "
        + "\(Words.count(sensor.enableDataReady.payload.count, "byte")) here"
    ]
  }
}

extension SensorConfiguration {
  func words(_ unit: String) -> String {
    "\(Words.plain(rate.hertz)) Hz, ±\(Words.plain(range.limit)) \(unit)"
  }

  func row(_ unit: String) -> Statement.Row {
    .init(
      nil,
      [
        .quantity("rate", rate.hertz, "Hz", decimals: 2),
        .quantity("range", range.limit, unit, decimals: 0),
        .quantity("counts_per_unit", range.countsPerUnit, decimals: 1),
      ])
  }
}

extension AccelerometerSetting: Explained {
  func statement(in context: Context) -> Statement {
    Statement("sets \(configuration.words(sensor.unit))", rows: [configuration.row(sensor.unit)])
  }
}

extension GyroscopeSetting: Explained {
  func statement(in context: Context) -> Statement {
    Statement("sets \(configuration.words(sensor.unit))", rows: [configuration.row(sensor.unit)])
  }
}

extension GyroscopeOffsets: Explained {
  func statement(in context: Context) -> Statement {
    Statement(
      "sets the offset registers of the Bosch sensor", .count("x", x), .count("y", y),
      .count("z", z))
  }
}

extension Magnetometer: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .repetitions(let xy, let z):
      Statement(
        "averages \(Words.count(2 * Int(xy) + 1, "measurement")) along x and y, "
          + "\(Int(z) + 1) along z",
        .count("xy_repetitions", 2 * Int(xy) + 1), .count("z_repetitions", Int(z) + 1))
    case .rate(let rate):
      Statement(
        "sets \(Words.plain(rate.hertz)) Hz", .quantity("rate", rate.hertz, "Hz", decimals: 0))
    case .threshold(let register, let bytes):
      Statement(
        register == 0x06
          ? "turns the threshold interrupt on or off" : "configures the threshold interrupt",
        .text("bytes", Words.hex(bytes)))
    }
  }
}

extension BoschFeature: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .interrupts(let interrupt, let enable, let disable):
      return switched(interrupt, enable, disable)
    case .lowHigh(let settings):
      let bytes = settings.bytes
      let step = LowHighSettings.durationStep(on: context.modules.accelerometer?.chip ?? .bmi160)
      return Statement(
        "sets when acceleration counts as low or high; the step of high_threshold depends on the "
          + "range",
        .quantity("low_duration", Double(bytes[0]) * step + step, "ms", decimals: 1),
        .quantity(
          "low_threshold", Double(bytes[1]) * LowHighSettings.lowStep, "g", decimals: 3,
          raw: bytes[1]),
        .text("low_uses", bytes[2] & 4 != 0 ? "sum of axes" : "each axis"),
        .quantity("high_duration", Double(bytes[3]) * step + step, "ms", decimals: 1),
        .count("high_threshold", bytes[4], "steps"))
    case .motion(let settings):
      let bytes = settings.bytes
      var values: [Statement.Value] = [
        .count("any_count", bytes[0] & 3 + 1), .count("any_threshold", bytes[1], "steps"),
        .count("slow_or_no_code", bytes[0] >> 2),
        .count("slow_or_no_threshold", bytes[2], "steps"),
      ]
      if bytes.count > 3 {
        values.append(.text("watches_for", bytes[3] & 1 == 0 ? "slow motion" : "no motion"))
        values.append(.text("and_for", bytes[3] & 2 == 0 ? "any motion" : "significant motion"))
        if bytes[3] & 2 != 0 {
          values.append(
            .quantity("skip", [1.5, 3, 6, 12][Int(bytes[3] >> 2 & 3)], "s", decimals: 1))
          values.append(
            .quantity("proof", [0.25, 0.5, 1, 2][Int(bytes[3] >> 4 & 3)], "s", decimals: 2))
        }
      }
      return Statement(
        "sets what counts as motion; a step is a 512th of the range", rows: [.init(values)])
    case .tap(let settings):
      return Statement(
        "sets what counts as a tap; a step is a 32nd of the range",
        .count("quiet", settings.times & 0x80 == 0 ? 30 : 20, "ms"),
        .count("shock", settings.times & 0x40 == 0 ? 50 : 75, "ms"),
        .count("window", TapSettings.windows[Int(settings.times & 7)], "ms"),
        .count("threshold", settings.threshold, "steps"))
    case .orientation(let first, let second):
      return Statement(
        "configures the detection of orientation", .text("bytes", Words.hex([first, second])))
    case .flat(let first, let second):
      return Statement(
        "configures the detection of lying flat", .text("bytes", Words.hex([first, second])))
    case .steps(let settings):
      let mode = StepSettings.Mode.allCases.first {
        StepSettings($0, isCounting: settings.isCounting) == settings
      }
      return Statement(
        "configures the detection of steps: "
          + "\(mode?.words ?? "a custom mode"), counter \(Words.onOff(settings.isCounting))",
        .text("bytes", Words.hex(settings.bytes)))
    case .resetSteps: return Statement("sets the number of steps to 0")
    }
  }

  private func switched(
    _ interrupt: Interrupt, _ enable: UInt8, _ disable: UInt8
  ) -> Statement {
    let (what, bits) = interrupt.words
    var parts: [String] = []
    if enable != 0 { parts.append("turns on \(Words.bits(enable, bits))") }
    if disable != 0 { parts.append("turns off \(Words.bits(disable, bits))") }
    return Statement("\(what): \(Words.list(parts, otherwise: "changes nothing"))")
  }
}

extension BoschFeature.Interrupt {
  fileprivate var words: (what: String, bits: [String]) {
    switch self {
    case .lowHigh: ("low and high g", ["high on x", "high on y", "high on z", "low"])
    case .motion:
      (
        "motion",
        [
          "any on x", "any on y", "any on z", "no or slow on x", "no or slow on y",
          "no or slow on z",
        ]
      )
    case .tap: ("taps", ["double", "single"])
    case .orientation: ("orientation", ["detection"])
    case .flat: ("flat", ["detection"])
    case .stepDetector: ("steps", ["detection"])
    }
  }
}

extension StepSettings.Mode {
  fileprivate var words: String {
    switch self {
    case .normal: "normal"
    case .sensitive: "sensitive"
    case .robust: "robust"
    }
  }
}

extension BMI270Feature: Explained {
  private static let names = [
    "significant motion", "step counter", "activity", "wrist wake-up", "wrist gesture",
    "no motion", "any motion", "step detector",
  ]

  func statement(in context: Context) -> Statement {
    switch self {
    case .features(let enable, let disable): return switched("features", enable, disable)
    case .interrupts(let enable, let disable):
      return switched("feature interrupts", enable, disable)
    case .configure(let configuration): return configuration.statement
    case .dieTemperature(let isOn):
      return Statement("turns the chip's thermometer \(Words.onOff(isOn))")
    case .offsets(let use, let x, let y, let z):
      return Statement(
        "sets the offset registers of the Bosch sensor", .text("use", Words.hex([use])),
        .count("x", Int8(bitPattern: x)), .count("y", Int8(bitPattern: y)),
        .count("z", Int8(bitPattern: z)))
    case .downsampling(let gyroscope, let isGyroscopeFiltered, let accelerometer, let isFiltered):
      return Statement(
        "down-samples the chip's queue",
        .count("gyroscope_factor", 1 << Int(gyroscope)),
        .text("gyroscope_data", isGyroscopeFiltered ? "filtered" : "unfiltered"),
        .count("accelerometer_factor", 1 << Int(accelerometer)),
        .text("accelerometer_data", isFiltered ? "filtered" : "unfiltered"))
    }
  }

  private func switched(_ what: String, _ enable: Set, _ disable: Set) -> Statement {
    var parts: [String] = []
    if !enable.isEmpty { parts.append("turns on \(Words.bits(enable.rawValue, Self.names))") }
    if !disable.isEmpty { parts.append("turns off \(Words.bits(disable.rawValue, Self.names))") }
    return Statement("\(what): \(Words.list(parts, otherwise: "changes nothing"))")
  }
}

extension BMI270Feature.Configuration {
  fileprivate var statement: Statement {
    switch self {
    case .axes(let first, let second):
      Statement("sets the mapping of the chip's axes", .text("bytes", Words.hex([first, second])))
    case .anyMotion(let motion): Statement("configures any-motion detection", rows: [motion.row])
    case .noMotion(let motion): Statement("configures no-motion detection", rows: [motion.row])
    case .significantMotion(let blockSize):
      Statement("configures significant-motion detection", .count("block", blockSize, "samples"))
    case .stepReport(0): Statement("counts steps without reporting them")
    case .stepReport(let intervals):
      Statement("reports the count every \(BMI270Feature.stepsPerReport * Int(intervals)) steps")
    case .wristGesture(let gesture):
      Statement(
        "configures wrist gestures, worn on the \(gesture.isRightArm ? "right" : "left") arm",
        .count("peak", gesture.peak), .count("samples", gesture.samples),
        .count("duration", gesture.duration))
    case .wristWakeUp(let words):
      Statement(
        "configures wrist wake-up", .text("words", words.map { "\($0)" }.joined(separator: " ")))
    case .bank(let bank, let bytes):
      Statement(
        (4...7).contains(bank) ? "configures the step counter" : "sets a bank of Bosch settings",
        .count("bank", bank), .text("bytes", Words.hex(bytes)))
    }
  }
}

extension BMI270Feature.Motion {
  fileprivate var row: Statement.Row {
    .init([
      .count("duration", Int(duration) * Self.stepMilliseconds, "ms"),
      .text("axes", Words.bits(axes, ["x", "y", "z"])),
      .count("threshold", threshold, "steps"), .text("output", Words.hex([output])),
    ])
  }
}

extension MMA8452QFeature: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .enable(let kind, let isOn):
      Statement("turns the detection of \(kind.words) \(Words.onOff(isOn))")
    case .configure(.movement, let bytes):
      Statement(
        "configures the detection of \(bytes[0] & 0x40 == 0 ? "free fall" : "motion")",
        .quantity(
          "threshold", Double(bytes[2] & 0x7f) * Self.movementStep, "g", decimals: 3, raw: bytes[2])
      )
    case .configure(let kind, let bytes):
      Statement("configures the detection of \(kind.words)", .text("bytes", Words.hex(bytes)))
    }
  }
}

extension MMA8452QFeature.Kind {
  fileprivate var words: String {
    switch self {
    case .movement: "free fall or motion"
    case .orientation: "orientation"
    case .tap: "taps"
    case .shake: "shaking"
    }
  }
}
