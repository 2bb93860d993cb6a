internal import Recording

/// Streams a sensor that sends a sample only when it is read. Either a timer on the board or the
/// gateway triggers the reads.
struct PolledStream: Sensor {
  let signal: String
  let unit: String
  var axes = StreamDescription.unnamedAxes(1)
  let chipName: String
  let countsPerUnit: Double
  let samples: SampleSource
  /// The bytes that follow the module, the register and the index in a read request.
  var readParameters: [UInt8] = []
  /// Commands that configure the sensor's module before the first read.
  var configure: [Command] = []
  /// Commands that enable a function of a module that other streams may also configure.
  var enable: [Command] = []
  /// Commands that start another sensor on which this one depends. `powerOff` stops that sensor.
  var powerOn: [Command] = []
  var powerOff: [Command] = []

  // Each read requires two packets on the link, so fast rates are not offered.
  var rates: [Double] { [0.1, 0.2, 0.5, 1, 2, 5, 10] }
  var ranges: [Double] { [] }
  var isStreaming: Bool { false }

  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup {
    try requireNoRange(range)
    let read = samples.read
    return SensorSetup(
      description: StreamDescription(
        signal: signal, unit: unit, axes: axes, countsPerUnit: countsPerUnit,
        rate: rates[try offered(rate: rate)], lossAccounting: .estimated),
      samples: samples, owner: samples.module, configure: configure, check: nil, enable: enable,
      powerOn: powerOn, powerOff: powerOff,
      poll: Command(read.header, read.payload + readParameters))
  }
}

extension ModuleTable {
  /// The thermometers that the temperature module lists. If several are of the same kind, the names
  /// of all but the first include the channel.
  var temperatureStreams: [any Sensor] {
    let drivers = self[.temperature]?.extra ?? []
    return drivers.enumerated().compactMap { channel, code in
      guard let driver = Temperature.Driver(rawValue: code) else { return nil }
      let (signal, chip) =
        switch driver {
        case .boardThermistor: ("temperature", "thermistor")
        case .processorDie: ("temperature_processor", "nRF")
        case .externalThermistor: ("temperature_external", "external thermistor")
        case .barometer: ("temperature_barometer", "barometer")
        }
      // The barometer's thermometer works only while the barometer is running. Some boards list
      // this thermometer but have no barometer.
      let needsBarometer = driver == .barometer && barometer != nil
      let isFirst = drivers.firstIndex(of: code) == channel
      return PolledStream(
        signal: isFirst ? signal : signal + "\(channel)", unit: "°C", chipName: chip,
        countsPerUnit: Temperature.countsPerDegree,
        samples: SampleSource(
          reading: .temperature, 0x01, index: UInt8(channel),
          encoding: SampleEncoding(.int16, axisCount: 1)),
        powerOn: needsBarometer ? [Barometer.start.command] : [],
        powerOff: needsBarometer ? [Barometer.stop.command] : [])
    }
  }

  /// The humidity, colour and proximity sensors. Each sensor is configured, because settings left
  /// by an earlier client would change the meaning of the counts.
  var otherPolledStreams: [any Sensor] {
    var streams: [any Sensor] = []
    if has(.humidity) {
      streams.append(
        PolledStream(
          signal: "humidity", unit: "%", chipName: "BME280",
          countsPerUnit: Humidity.countsPerPercent,
          samples: SampleSource(
            reading: .humidity, 0x01, encoding: SampleEncoding(.int32, axisCount: 1)),
          configure: [Humidity.oversampling(.once).command]))
    }
    if has(.colour) {
      streams.append(
        PolledStream(
          signal: "colour", unit: "counts", axes: ["clear", "red", "green", "blue"],
          chipName: "TCS34725", countsPerUnit: 1,
          samples: SampleSource(
            reading: .colour, 0x01, encoding: SampleEncoding(.uint16, axisCount: 4)),
          // Even at the fastest rate, an integration time of 96 ms ends before the next read.
          configure: [
            ColourSensor.configure(integrationSteps: 40, .times1, isLit: false).command
          ]))
    }
    if has(.proximity) {
      streams.append(
        PolledStream(
          signal: "proximity", unit: "counts", chipName: "TSL2671", countsPerUnit: 1,
          samples: SampleSource(
            reading: .proximity, 0x01, encoding: SampleEncoding(.uint16, axisCount: 1)),
          // A single pulse with the shortest integration time minimises the effect of ambient
          // light.
          configure: [
            Proximity.configure(integrationSteps: 1, pulses: 1, .channel1, .milliamperes25).command
          ]))
    }
    return streams
  }

  /// The voltages at the pins that support analogue reads.
  var pinStreams: [any Sensor] {
    guard let gpio = self[.gpio] else { return [] }
    return gpio.extra.enumerated().compactMap { pin, abilities in
      guard abilities & GPIO.analogAbility != 0 else { return nil }
      let read = GPIO.read(
        .millivolts, pin: UInt8(pin), gpio.revision >= 2 ? GPIO.ReadOptions() : nil,
        isSilent: false)
      return PolledStream(
        signal: "voltage_pin\(pin)", unit: "V", chipName: "processor", countsPerUnit: 1_000,
        samples: SampleSource(
          reading: .gpio, GPIO.Quantity.millivolts.rawValue, index: UInt8(pin),
          encoding: SampleEncoding(.uint16, axisCount: 1)),
        readParameters: Array(read.command.payload.dropFirst()))
    }
  }
}
