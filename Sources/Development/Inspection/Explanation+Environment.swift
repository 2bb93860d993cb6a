internal import MetaWearProtocol

extension Temperature: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .read(let channel, let isSilent):
      Statement(
        "asks for the temperature of channel \(channel)\(context.driver(of: channel))"
          + (isSilent ? ", for consumers on the board only" : ""))
    case .externalThermistor(let channel, let dataPin, let pulldownPin, let isActiveHigh):
      Statement(
        "sets the thermistor pins of channel \(channel)", .count("data_pin", dataPin),
        .count("pulldown_pin", pulldownPin),
        .text("active", isActiveHigh ? "high" : "low"))
    }
  }
}

extension Context {
  /// Describes the sensor on a temperature channel. The module info lists the sensors.
  func driver(of channel: UInt8) -> String {
    guard let drivers = modules[.temperature]?.extra, Int(channel) < drivers.count else {
      return ""
    }
    switch Temperature.Driver(rawValue: drivers[Int(channel)]) {
    case .processorDie: return " (the processor)"
    case .externalThermistor: return " (an external thermistor)"
    case .barometer: return " (the barometer, which must be running)"
    case .boardThermistor: return " (a thermistor on the board)"
    case nil: return ""
    }
  }
}

extension Humidity: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .oversampling(let oversampling):
      Statement(
        "averages \(Words.count(oversampling.factor, "measurement"))",
        .count("oversampling", oversampling.factor))
    }
  }
}

extension AmbientLight: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .configure(let gain, let integration, let rate):
      let rates = AmbientLight.rateMilliseconds
      return Statement(
        "sets gain, integration and rate", .count("gain", gain.factor),
        .count("integration", AmbientLight.integrationMilliseconds[Int(integration & 7)], "ms"),
        .count("period", rates[min(Int(rate), rates.count - 1)], "ms"))
    case .measure(let isOn): return Statement(isOn ? "starts measuring" : "stops measuring")
    }
  }
}

extension ColourSensor: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .configure(let steps, let gain, let isLit):
      Statement(
        "sets integration and gain, LED \(Words.onOff(isLit))",
        .quantity("integration", Double(steps) * Self.stepMilliseconds, "ms", decimals: 1),
        .count("gain", gain.factor))
    }
  }
}

extension Proximity: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .configure(let steps, let pulses, let diode, let current):
      let diodes = [Diode.channel0: "0", .channel1: "1", .both: "0 and 1"]
      return Statement(
        "sets integration, pulses and current",
        .quantity("integration", Double(steps) * Self.stepMilliseconds, "ms", decimals: 2),
        .count("pulses", pulses), .text("diodes", diodes[diode] ?? ""),
        .quantity("current", current.milliamperes, "mA", decimals: 1))
    }
  }
}

extension Barometer: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .configure(let settings):
      // Two of the standby times differ between the BMP280 and the BME280.
      let chip = context.modules.barometer
      let pauses = (chip ?? .bmp280).standbyMilliseconds
      let isGuessed = chip == nil && settings.standbyCode >= 6
      return Statement(
        "sets averaging and pause",
        .count(
          "oversampling",
          settings.oversampling == .skip ? 0 : 1 << (Int(settings.oversampling.rawValue) - 1)),
        .count("temperature_code", settings.temperatureCode),
        .count("filter", settings.filter == .off ? 0 : 1 << Int(settings.filter.rawValue)),
        .quantity("standby", pauses[Int(settings.standbyCode)], "ms", decimals: 1),
        remarks: isGuessed ? ["this pause applies to a BMP280; a BME280 has 10 or 20 ms"] : [])
    case .measure(true, let withAltitude):
      return Statement("starts measuring pressure" + (withAltitude ? " and altitude" : ""))
    case .measure(false, _): return Statement("stops measuring")
    }
  }
}

extension GPIO: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .write(let pin, let isHigh):
      return Statement("drives pin \(pin) \(isHigh ? "high" : "low")")
    case .pull(let pull, let pin):
      let pulls = [Pull.up: "with a pull-up", .down: "with a pull-down", .none: "without a pull"]
      return Statement("makes pin \(pin) an input \(pulls[pull] ?? "")")
    case .read(let quantity, let pin, let options, let isSilent):
      let quantities = [
        Quantity.millivolts: "the voltage", .ratio: "the voltage as a fraction of the supply",
        .level: "the level",
      ]
      var values: [Statement.Value] = []
      if let options {
        if options.pullUpPin != ReadOptions.noPin {
          values.append(.count("pull_up_pin", options.pullUpPin))
        }
        if options.pullDownPin != ReadOptions.noPin {
          values.append(.count("pull_down_pin", options.pullDownPin))
        }
        values.append(.count("delay", Int(options.delaySteps) * 4, "us"))
        if options.virtualPin != ReadOptions.noPin {
          values.append(.count("virtual_pin", options.virtualPin))
        }
      }
      let wantsOptions =
        options == nil && quantity != .level && context.modules.has(.gpio, revision: 2)
      return Statement(
        "asks for \(quantities[quantity] ?? "") of pin \(pin)"
          + (isSilent ? ", for consumers on the board only" : ""),
        rows: values.isEmpty ? [] : [.init(values)],
        remarks: wantsOptions ? ["module revision 2 requires four more bytes here"] : [])
    case .edge(let edge, let pin):
      let edges = [
        Edge.off: "no changes", .rising: "rising edges", .falling: "falling edges",
        .any: "all changes",
      ]
      return Statement("reports \(edges[edge] ?? "") on pin \(pin) while it is watched")
    case .watch(let pin, let isOn):
      return Statement(isOn ? "watches pin \(pin)" : "stops watching pin \(pin)")
    }
  }
}

extension GPIO.Reading {
  var statement: Statement {
    switch self {
    case .millivolts(let pin, let value):
      Statement("voltage of pin \(pin)", .count("voltage", value, "mV"))
    case .ratio(let pin, let value):
      Statement(
        "voltage of pin \(pin) as a fraction of the supply",
        .quantity("ratio", Double(value) / 1023, decimals: 3, raw: value))
    case .level(let pin, let isHigh): Statement("pin \(pin) is \(isHigh ? "high" : "low")")
    case .change(let pin, let isHigh):
      Statement("pin \(pin) went \(isHigh ? "high" : "low")")
    }
  }
}

extension SerialBus: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .readI2C(let device, let register, let id, let length, let isSilent):
      Statement(
        "reads \(Words.count(length, "byte")) from an I2C device"
          + (isSilent ? ", for consumers on the board only" : ""),
        .text("device", Words.hex([device])), .text("register", Words.hex([register])),
        .count("id", id))
    case .writeI2C(let device, let register, let bytes):
      Statement(
        "writes \(Words.count(bytes.count, "byte")) to an I2C device",
        .text("device", Words.hex([device])), .text("register", Words.hex([register])),
        .text("bytes", Words.hex(bytes)))
    case .readSPI(let spi, let id, let length, let bytes, let isSilent):
      Statement(
        "reads \(Words.count(length, "byte")) from an SPI device"
          + (isSilent ? ", for consumers on the board only" : ""),
        rows: [spi.row, .init([.count("id", id), .text("sends", Words.hex(bytes))])])
    case .writeSPI(let spi, let bytes):
      Statement(
        "writes \(Words.count(bytes.count, "byte")) to an SPI device",
        rows: [spi.row, .init([.text("bytes", Words.hex(bytes))])])
    }
  }
}

extension SerialBus.SPI {
  fileprivate var row: Statement.Row {
    let clock: Statement.Value =
      Int(clockCode) < Self.clocks.count
      ? .count("clock", Self.clocks[Int(clockCode)] / 1000, "kHz") : .count("clock_code", clockCode)
    return .init([
      .count("select_pin", selectPin), .count("clock_pin", clockPin), .count("out_pin", outPin),
      .count("in_pin", inPin), .count("mode", mode), clock,
      .text("first_bit", isLeastSignificantFirst ? "lowest" : "highest"),
      .text("pins", hasNativePins ? "native" : "of the board"),
    ])
  }
}
