internal import MetaWearProtocol
internal import Values

extension Operation {
  // MARK: Air and light

  func environment(_ name: String) throws(Objection) -> Command {
    switch name {
    case "baro.configure": return Barometer.configure(try barometer()).command
    case "baro.start": return Barometer.start.command
    case "baro.stop": return Barometer.stop.command
    case "light.enable": return AmbientLight.measure(isOn: try arguments.bool("on")).command
    case "light.configure":
      let setting = AmbientLight.configure(
        try arguments.choice(
          "gain", numbers: AmbientLight.Gain.allCases.map { (Double($0.factor), $0) },
          otherwise: .times1),
        integrationMilliseconds: try arguments.integer("integration_ms", otherwise: 100),
        rateMilliseconds: try arguments.integer("rate_ms", otherwise: 500))
      guard let setting else { throw .failed("unsupported time") }
      return setting.command
    case "color.configure":
      return ColourSensor.configure(
        integrationSteps: ColourSensor.integrationSteps(
          milliseconds: try arguments.number("integration_ms", otherwise: 2.4)),
        try arguments.choice(
          "gain", numbers: ColourSensor.Gain.allCases.map { (Double($0.factor), $0) },
          otherwise: .times1), isLit: try arguments.bool("led", otherwise: false)
      ).command
    case "humidity.oversampling":
      return Humidity.oversampling(
        try arguments.choice(
          "value", numbers: Humidity.Oversampling.allCases.map { (Double($0.factor), $0) })
      ).command
    case "proximity.configure":
      return Proximity.configure(
        integrationSteps: Proximity.integrationSteps(
          milliseconds: try arguments.number("integration_ms", otherwise: 2.72)),
        pulses: try arguments.byte("pulses", otherwise: 1),
        try arguments.choice(
          "diode", ["ch0": .channel0, "ch1": .channel1, "both": .both], otherwise: .channel0),
        try arguments.choice(
          "current_ma", numbers: Proximity.Current.allCases.map { ($0.milliamperes, $0) },
          otherwise: .milliamperes100)
      ).command
    case "temp.ext_thermistor":
      return Temperature.externalThermistor(
        channel: try arguments.byte("channel"), dataPin: try arguments.byte("data_pin"),
        pulldownPin: try arguments.byte("pulldown_pin"),
        isActiveHigh: try arguments.bool("active_high", otherwise: false)
      ).command
    default: throw unknown
    }
  }

  private func barometer() throws(Objection) -> Barometer.Settings {
    let chip: Barometer.Chip = vector.context["chip"]?.text == "BME280" ? .bme280 : .bmp280
    let standby = chip.standbyMilliseconds.enumerated().map { ($1, UInt8($0)) }
    return Barometer.Settings(
      oversampling: try arguments.choice(
        "oversampling",
        [
          "skip": .skip, "ultra_low_power": .ultraLowPower, "low_power": .lowPower,
          "standard": .standard, "high": .high, "ultra_high": .ultraHigh,
        ], otherwise: .standard),
      filter: try arguments.choice(
        "iir",
        [
          "off": .off, "avg2": .average2, "avg4": .average4, "avg8": .average8,
          "avg16": .average16,
        ], otherwise: .off),
      standbyCode: try arguments.choice("standby_ms", numbers: standby, otherwise: 0))
  }

  // MARK: Pins, lights and sounds

  func output(_ name: String) throws(Objection) -> Command {
    switch name {
    case "gpio.write":
      return GPIO.write(pin: try arguments.byte("pin"), isHigh: try arguments.bool("high")).command
    case "gpio.pull":
      let pull = try arguments.choice(
        "mode", ["up": GPIO.Pull.up, "down": GPIO.Pull.down, "none": GPIO.Pull.none])
      return GPIO.pull(pull, pin: try arguments.byte("pin")).command
    case "gpio.pin_change":
      let edge = try arguments.choice(
        "edge", ["off": GPIO.Edge.off, "rising": .rising, "falling": .falling, "any": .any])
      return GPIO.edge(edge, pin: try arguments.byte("pin")).command
    case "gpio.pin_monitor":
      return GPIO.watch(pin: try arguments.byte("pin"), isOn: try arguments.bool("on")).command
    case "led.control":
      let action = try arguments.choice(
        "action",
        [
          "play": LED.playback(.play), "autoplay": .playback(.autoplay),
          "pause": .playback(.pause), "stop": .stop(isClearing: false),
          "stop_clear": .stop(isClearing: true),
        ])
      return action.command
    case "led.pattern": return try pattern().command
    case "haptic.motor":
      return Haptic.motor(
        percent: try arguments.number("duty_percent", otherwise: 100),
        milliseconds: try arguments.word("ms")
      ).command
    case "haptic.buzzer": return Haptic.buzzer(milliseconds: try arguments.word("ms")).command
    case _ where name.hasPrefix("ibeacon."): return try iBeacon(name).command
    case _ where name.hasPrefix("neopixel."): return try neoPixel(name).command
    default: return try bus(name).command
    }
  }

  private func pattern() throws(Objection) -> LED {
    // Modules of revision 0 do not support a delay.
    let hasDelay = vector.revision(otherwise: 1) >= 1
    // The board does not define what 0 means, so an endless pattern is never encoded as 0.
    let repetitions = try arguments.byte("repeat", otherwise: Int(LED.endless))
    let pattern = LED.Pattern(
      high: try arguments.byte("high", otherwise: 31), low: try arguments.byte("low", otherwise: 0),
      riseMilliseconds: try arguments.word("rise_ms", otherwise: 0),
      highMilliseconds: try arguments.word("high_ms", otherwise: 0),
      fallMilliseconds: try arguments.word("fall_ms", otherwise: 0),
      periodMilliseconds: try arguments.word("period_ms", otherwise: 0),
      delayMilliseconds: hasDelay ? try arguments.word("delay_ms", otherwise: 0) : 0,
      repetitions: repetitions == 0 ? LED.endless : repetitions)
    return .store(
      pattern, try arguments.choice("color", ["green": .green, "red": .red, "blue": .blue]))
  }

  private func iBeacon(_ name: String) throws(Objection) -> IBeacon {
    switch name {
    case "ibeacon.enable": return .enable(isOn: try arguments.bool("on"))
    case "ibeacon.major": return .major(try arguments.word("value"))
    case "ibeacon.minor": return .minor(try arguments.word("value"))
    case "ibeacon.period": return .period(milliseconds: try arguments.word("ms"))
    case "ibeacon.rx_power":
      return .receivedPower(dBm: Int8(bitPattern: try arguments.byte("dbm")))
    case "ibeacon.tx_power": return .sentPower(dBm: Int8(bitPattern: try arguments.byte("dbm")))
    case "ibeacon.uuid":
      guard let beacon = IBeacon.identifier(try arguments.text("uuid")) else {
        throw .failed("not a UUID")
      }
      return beacon
    default: throw unknown
    }
  }

  private func neoPixel(_ name: String) throws(Objection) -> NeoPixel {
    let strand = try arguments.byte("strand")
    switch name {
    case "neopixel.init":
      return .open(
        strand: strand,
        try arguments.choice(
          "order",
          [
            "RGB": .redGreenBlue, "RBG": .redBlueGreen, "GRB": .greenRedBlue, "GBR": .greenBlueRed,
          ]), isFast: try arguments.choice("speed", ["slow": false, "fast": true]),
        pin: try arguments.byte("pin"), count: try arguments.byte("count"))
    case "neopixel.free": return .close(strand: strand)
    case "neopixel.hold": return .hold(strand: strand, isOn: try arguments.bool("on"))
    case "neopixel.clear":
      return .clear(
        strand: strand, first: try arguments.byte("first"), last: try arguments.byte("last"))
    case "neopixel.color":
      return .colour(
        strand: strand, index: try arguments.byte("index"), red: try arguments.byte("r"),
        green: try arguments.byte("g"), blue: try arguments.byte("b"))
    case "neopixel.rotate":
      // A missing or negative count means endless repetition.
      return .rotate(
        strand: strand,
        isAway: try arguments.choice("direction", ["towards": false, "away": true]),
        times: try arguments.byte("count", otherwise: 0xff),
        milliseconds: try arguments.word("ms"))
    case "neopixel.stop_rotate": return .stopRotation(strand: strand)
    default: throw unknown
    }
  }

  private func bus(_ name: String) throws(Objection) -> SerialBus {
    let sending =
      arguments.has("data")
      ? try arguments.integers("data").map { UInt8(truncatingIfNeeded: $0) } : []
    let isSilent = try arguments.bool("silent", otherwise: false)
    switch name {
    case "i2c.read":
      return .readI2C(
        device: try arguments.byte("device"), register: try arguments.byte("register"),
        id: try arguments.byte("id", otherwise: 0xff), length: try arguments.byte("length"),
        isSilent: isSilent)
    case "i2c.write":
      return .writeI2C(
        device: try arguments.byte("device"), register: try arguments.byte("register"), sending)
    case "spi.read":
      return .readSPI(
        try spi(), id: try arguments.byte("id", otherwise: 0x0f),
        length: try arguments.byte("length"), sending: sending, isSilent: isSilent)
    case "spi.write": return .writeSPI(try spi(), sending)
    default: throw unknown
    }
  }

  private func spi() throws(Objection) -> SerialBus.SPI {
    let clocks: [String: UInt8] = [
      "125k": 0, "250k": 1, "500k": 2, "1M": 3, "2M": 4, "4M": 5, "8M": 6,
    ]
    return SerialBus.SPI(
      selectPin: try arguments.byte("ss"), clockPin: try arguments.byte("sclk"),
      outPin: try arguments.byte("mosi"), inPin: try arguments.byte("miso"),
      isLeastSignificantFirst: try arguments.bool("lsb_first", otherwise: false),
      mode: try arguments.byte("mode", otherwise: 0),
      clockCode: try arguments.choice("freq", clocks),
      hasNativePins: try arguments.bool("native", otherwise: false))
  }
}
