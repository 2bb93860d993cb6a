internal import MetaWearProtocol
internal import Values

extension BoardKnowledge {
  /// Returns the byte layout of a value, regardless of the packet that contains it; `nil` if it is
  /// unknown.
  ///
  /// `modules` is the table used to decode the packet.
  func layout(of source: SignalSource, on modules: ModuleTable) -> Layout? {
    layout(of: source.header, index: source.index, on: modules).flatMap { part(source, of: $0) }
  }

  /// Returns the layout of the fields that a source selects from a value.
  func part(_ source: SignalSource, of whole: Layout) -> Layout? {
    // For a packer, the vendor's software specifies the length of one sample, although all samples
    // are meant.
    if source.header == PacketHeader(.dataProcessor, 0x03),
      case .packer? = processors[source.index]?.function
    {
      return whole
    }
    return whole.part(from: source.offset, length: source.length)
  }

  /// Returns the layout of the bytes after a header, or after the index if there is one.
  func layout(of header: PacketHeader, index: UInt8, on modules: ModuleTable) -> Layout? {
    switch (header.module, header.register) {
    case (.temperature, 0x01):
      return Layout(
        "temperature", .signed(2), "°C", countsPerUnit: Temperature.countsPerDegree, decimals: 3)
    case (.gpio, 0x06): return Layout("voltage", .unsigned(2), "mV")
    case (.gpio, 0x07): return Layout("ratio", .unsigned(2), "/1023")
    case (.gpio, 0x08), (.gpio, 0x0a): return Layout("level", .unsigned(1))
    case (.dataProcessor, 0x03):
      return processors[index].flatMap { output(of: $0, on: modules, depth: 0) }
    default:
      return Signal.at(header, on: modules).flatMap { layout(of: $0, on: modules) }
    }
  }

  /// Returns the layout of an unprocessed signal's bytes.
  func layout(of signal: Signal, on modules: ModuleTable) -> Layout? {
    switch signal {
    case .acceleration: return modules.accelerometer.map(vector)
    case .accelerationPacked: return modules.accelerometer.map { vector(of: $0).repeated(3) }
    case .angularVelocity: return modules.gyroscope.map(vector)
    case .angularVelocityPacked: return modules.gyroscope.map { vector(of: $0).repeated(3) }
    case .magneticField: return Self.field
    case .magneticFieldPacked: return Self.field.repeated(3)
    case .switch: return Layout("pressed", .unsigned(1))
    case .stepCounter: return Layout("steps", .unsigned(2))
    case .stepDetector: return Layout("steps", .unsigned(1))
    case .pressure:
      return Layout(
        "pressure", .unsigned(4), "Pa", countsPerUnit: Barometer.countsPerPascal, decimals: 2)
    case .altitude:
      return Layout(
        "altitude", .signed(4), "m", countsPerUnit: Barometer.countsPerMetre, decimals: 2)
    case .humidity:
      return Layout(
        "humidity", .unsigned(4), "%RH", countsPerUnit: Humidity.countsPerPercent, decimals: 2)
    case .illuminance:
      return Layout(
        "illuminance", .unsigned(4), "lx", countsPerUnit: AmbientLight.countsPerLux,
        decimals: 3)
    case .color: return Layout(["clear", "red", "green", "blue"], .unsigned(2), nil)
    case .proximity: return Layout("proximity", .unsigned(2))
    case .correctedAcceleration: return Self.corrected("mg", decimals: 1)
    case .correctedAngularVelocity: return Self.corrected("deg/s", decimals: 2)
    case .correctedMagneticField: return Self.corrected("uT", decimals: 2)
    case .quaternion: return Layout(["w", "x", "y", "z"], .float, nil, decimals: 4)
    case .euler: return Layout(["heading", "pitch", "roll", "yaw"], .float, "deg", decimals: 2)
    case .gravity, .linearAcceleration:
      return Layout(["x", "y", "z"], .float, "m/s2", decimals: 3)
    case .battery:
      return Layout("charge", .unsigned(1), "%")
        .followed(by: [Layout("voltage", .unsigned(2), "mV")])
    case .powerStatus: return Layout("power", .unsigned(1))
    case .chargeStatus: return Layout("charging", .unsigned(1))
    default: return nil
    }
  }

  private static let field = Layout(
    ["x", "y", "z"], .signed(2), "uT", countsPerUnit: Magnetometer.countsPerMicrotesla,
    decimals: 2)

  private static func corrected(_ unit: String, decimals: Int) -> Layout {
    Layout(["x", "y", "z"], .float, unit, decimals: decimals)
      .followed(by: [Layout("accuracy", .unsigned(1))])
  }

  private func vector(of sensor: some MotionSensor) -> Layout {
    let range = settings[sensor.module]?.range ?? sensor.initialRange
    var layout = Layout(
      ["x", "y", "z"], .signed(2), sensor.unit, countsPerUnit: range.countsPerUnit,
      decimals: sensor.module == .accelerometer ? 4 : 3)
    // The MMA8452Q uses one scale for all its ranges.
    let hasOneScale = sensor.ranges.allSatisfy { $0.countsPerUnit == range.countsPerUnit }
    if settings[sensor.module] == nil, !hasOneScale {
      layout.assumptions = [
        "the \(sensor.module.name)'s range is ±\(Words.plain(range.limit)) \(sensor.unit), "
          + "its default after a reset"
      ]
    }
    return layout
  }

  /// Returns the layout of a processor's output. The depth is limited because a capture may contain
  /// a circular chain of processors.
  private func output(
    of processor: Processor, on modules: ModuleTable, depth: Int
  ) -> Layout? {
    guard depth < 32 else { return nil }
    let source = processor.source
    let input: Layout? =
      if source.header.module == .dataProcessor, source.header.register == 0x03 {
        processors[source.index]
          .flatMap { output(of: $0, on: modules, depth: depth + 1) }
          .flatMap { part(source, of: $0) }
      } else {
        layout(of: source, on: modules)
      }
    return output(of: processor.function, input: input, on: modules, depth: depth)
  }

  private func output(
    of function: ProcessorFunction, input: Layout?, on modules: ModuleTable, depth: Int
  ) -> Layout? {
    switch function {
    case .passThrough, .averager, .comparator, .delay, .time: return input
    case .buffer: return nil
    case .eventCounter(let sizes): return Layout("events", .unsigned(sizes.output))
    case .accumulator(let sizes):
      return input?.reduced(to: .signed(sizes.output), name: "sum")
    case .multiComparator(_, let size, _, .reference, _):
      return input?.reduced(to: .signed(size), name: "reference")
    case .multiComparator(_, _, _, .zone, _): return Layout("zone", .unsigned(1))
    case .multiComparator(_, _, _, .binary, _): return Layout("holds", .unsigned(1))
    case .multiComparator(_, _, _, .input, _): return input
    case .magnitude(let sizes, _, _, let isMean):
      return input?.reduced(to: .unsigned(sizes.output), name: isMean ? "rms" : "rss")
    case .math(let sizes, let isSigned, let operation, _, let channels):
      // Sums and differences keep the unit. A product's unit is known only to the processor's
      // author.
      let format: Layout.Field.Format =
        isSigned ? .signed(sizes.output) : .unsigned(sizes.output)
      let keepsUnit = [.add, .subtract, .absolute, .modulo].contains(operation)
      let channel = keepsUnit ? input?.reduced(to: format, name: "result") : nil
      let one = channel ?? Layout("result", format)
      return channels.map { one.repeated($0) } ?? one
    case .pulse(_, .width, _, _): return Layout("samples", .unsigned(2))
    case .pulse(_, .onDetect, _, _): return Layout("found", .unsigned(1))
    case .pulse(let length, _, _, _): return input?.reduced(to: .signed(min(length, 4)))
    case .delta(_, _, .binary, _): return Layout("direction", .signed(1))
    case .delta: return input
    case .threshold(_, _, true, _, _): return Layout("side", .signed(1))
    case .threshold: return input
    case .packer(_, let count): return input?.repeated(count)
    case .accounter(let isTime, let length):
      return input?.following(
        Layout.Field(
          name: isTime ? "tick" : "count", format: .unsigned(length),
          unit: isTime ? "ticks" : nil))
    case .fuser(let buffers, _):
      let others = buffers.map { id -> Layout? in
        guard let buffer = processors[id], case .buffer = buffer.function else { return nil }
        return layout(of: buffer.source, on: modules)
      }
      guard let input, !others.contains(nil) else { return nil }
      return input.followed(by: others.compactMap(\.self))
    }
  }
}

extension MotionSensor {
  /// The measuring range after a board reset.
  fileprivate var initialRange: MeasuringRange {
    let limit: Double =
      switch self {
      case let sensor as Accelerometer: sensor.chip == .bmi270 ? 8 : 2
      default: 2000
      }
    return ranges.first { $0.limit == limit } ?? ranges[0]
  }
}

extension Signal {
  /// Returns the signal at a register on a board with these modules; `nil` if there is none.
  static func at(_ header: PacketHeader, on modules: ModuleTable) -> Signal? {
    allCases.first { signal in
      guard let place = signal.place(on: modules), place.module == header.module,
        place.register == header.register
      else { return false }
      return header.isRead ? place.canRead : place.canNotify
    }
      ?? allCases.first { signal in
        signal.place(on: modules).map {
          $0.module == header.module && $0.register == header.register
        } ?? false
      }
  }

  /// The signal's name in sentences.
  var words: String {
    switch self {
    case .switch: "the button"
    case .color: "colour"
    case .euler: "Euler angles"
    case .pinChange: "changes on watched pins"
    case .sentPower: "the transmit power"
    case .connectionParameters: "the connection parameters"
    case .mac: "the board's address"
    case .logTime: "the board's clock"
    case .logLength: "the number of log entries"
    case .logEntries: "log entries"
    case .logProgress: "the progress of a read-out"
    case .logPage: "the end of each page"
    case .processor: "processor outputs"
    case .timer: "timers"
    case .name: "the board's name"
    case .lowHigh: "low and high acceleration"
    case .battery: "the battery state"
    case .stepCounter: "the number of steps"
    case .stepDetector: "single steps"
    case .powerStatus: "external power"
    case .chargeStatus: "charging"
    case .scanResponse: "the scan response"
    case .scheduleQueue: "the board's queue usage"
    case .resetReason: "the reason for the last reset"
    case .stackOverflow: "the stack check"
    case .debugKey: "the stored number"
    case .advertising: "the advertising settings"
    case .fusionConfiguration: "the sensor fusion mode"
    case .fusionCalibrationState: "the sensor calibration state"
    case .accelerometerCalibration: "the accelerometer's calibration"
    case .gyroscopeCalibration: "the gyroscope's calibration"
    case .magnetometerCalibration: "the magnetometer's calibration"
    case .dieTemperature: "the chip's temperature"
    case .accelerationPacked: "packed acceleration"
    case .angularVelocityPacked: "packed angular velocity"
    case .magneticFieldPacked: "packed magnetic field"
    case .accelerometerConfiguration, .gyroscopeConfiguration: "rate and range"
    default: rawValue.replacing("_", by: " ")
    }
  }
}
