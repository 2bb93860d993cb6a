import MetaWearProtocol
import Recording
import TestSupport
import Testing
import Values

/// Random values of every command type and every case, different in each run. The encoding of a
/// value must decode to the same value.
@Suite(.computation) struct RoundTripTests {
  /// The number of passes through all cases, each with new random numbers.
  static let rounds = 50

  /// Generates random values repeatedly, and expects the encoding of each to decode to the same
  /// value on a board.
  func expectRoundTrips<Value: ModuleCommand>(
    on modules: ModuleTable = ModuleCommandTests.bmi160,
    _ values: (inout SeededGenerator) throws -> [Value]
  ) rethrows {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Self.rounds {
      for value in try values(&generator) {
        let command = value.command
        let meaning = command.meaning(on: modules)
        #expect(meaning as? Value == value, "\(command) became \(meaning), seed \(seed)")
        #expect(meaning.command == command)
      }
    }
  }

  // MARK: Sensors

  @Test func `power, data-ready, rate and range commands decode to their original values`() {
    expectRoundTrips { generator -> [SensorControl] in
      [ModuleID.accelerometer, .gyroscope, .magnetometer].flatMap { module in
        [
          .power(module, .off), .power(module, .on), .power(module, .low),
          .dataReady(module, isOn: generator.flag()),
        ]
      } + [.plainDataReady(isOn: generator.flag())]
    }
    for sensor in MotionSensorTests.sensors {
      let modules = ModuleTable([
        .accelerometer: ModuleInfo(
          implementation: (sensor as? Accelerometer)?.chip.rawValue ?? 1, revision: 2),
        .gyroscope: ModuleInfo(
          implementation: (sensor as? Gyroscope)?.chip.rawValue ?? 0, revision: 1),
      ])
      for rate in sensor.rates {
        for range in sensor.ranges {
          let configuration = SensorConfiguration(rate: rate, range: range)
          let meaning = sensor.configure(configuration).meaning(on: modules)
          let found =
            (meaning as? AccelerometerSetting)?.configuration
            ?? (meaning as? GyroscopeSetting)?.configuration
          #expect(found == configuration, "\(meaning)")
        }
      }
    }
    expectRoundTrips { [GyroscopeOffsets(x: $0.byte(), y: $0.byte(), z: $0.byte())] }
  }

  @Test func `feature commands of the BMI160 and BMA255 decode to their original values`() {
    expectRoundTrips(on: ModuleCommandTests.bma255) { generator -> [BoschFeature] in
      var lowHigh = LowHighSettings(defaultsOf: .bma255)
      lowHigh.setLow(
        g: .random(in: 0...2, using: &generator), milliseconds: nil, isSum: generator.flag(),
        on: .bma255)
      lowHigh.setHigh(
        g: 3, milliseconds: .random(in: 2...500, using: &generator), range: 8, on: .bma255)
      var motion = MotionSettings(defaultsOf: generator.flag() ? .bmi160 : .bma255)
      motion.setAny(count: .random(in: 1...4, using: &generator), g: 0.5, range: 4)
      motion.setSlow(count: .random(in: 1...64, using: &generator), g: 0.5, range: 4)
      var tap = TapSettings()
      tap.setQuiet(milliseconds: generator.flag() ? 20 : 30)
      tap.setShock(milliseconds: generator.flag() ? 50 : 75)
      tap.setWindow(milliseconds: generator.pick(TapSettings.windows))
      tap.setThreshold(g: .random(in: 0...16, using: &generator), range: 16)
      let interrupts = BoschFeature.Interrupt.allCases.map { interrupt -> BoschFeature in
        .interrupts(interrupt, enable: generator.byte(), disable: generator.byte())
      }
      return interrupts + [
        .lowHigh(lowHigh), .motion(motion), .tap(tap),
        .orientation(generator.byte(), generator.byte()),
        .flat(generator.byte(), generator.byte()),
        .steps(.init(generator.pick(StepSettings.Mode.allCases), isCounting: generator.flag())),
        .resetSteps,
      ]
    }
  }

  @Test func `feature commands of the BMI270 decode to their original values`() {
    expectRoundTrips(on: ModuleCommandTests.bmi270) { generator -> [BMI270Feature] in
      let configurations: [BMI270Feature.Configuration] = [
        .axes(generator.byte(), generator.byte()),
        .anyMotion(
          .init(duration: generator.word(), threshold: generator.word(), axes: generator.byte())),
        .noMotion(
          .init(duration: generator.word(), threshold: generator.word(), axes: generator.byte())),
        .significantMotion(blockSize: generator.word()),
        .stepReport(intervals: generator.byte()),
        .wristGesture(
          .init(
            isRightArm: generator.flag(), peak: generator.word(), samples: generator.word(),
            duration: generator.word())),
        .wristWakeUp((0..<6).map { _ in generator.word() }),
        .bank(.random(in: 4...6, using: &generator), generator.bytes(1...17)),
      ]
      let sets = (0..<4).map { _ in BMI270Feature.Set(rawValue: generator.byte()) }
      return configurations.map { .configure($0) } + [
        .features(enable: sets[0], disable: sets[1]),
        .interrupts(enable: sets[2], disable: sets[3]),
        .dieTemperature(isOn: generator.flag()),
        .offsets(
          use: generator.byte(), x: generator.byte(), y: generator.byte(), z: generator.byte()),
        .downsampling(
          gyroscope: generator.byte() & 7, isGyroscopeFiltered: generator.flag(),
          accelerometer: generator.byte() & 7, isAccelerometerFiltered: generator.flag()),
      ]
    }
  }

  @Test func `feature commands of the MMA8452Q decode to their original values`() {
    expectRoundTrips(on: ModuleCommandTests.mma8452q) { generator -> [MMA8452QFeature] in
      MMA8452QFeature.Kind.allCases.flatMap { kind -> [MMA8452QFeature] in
        [.enable(kind, isOn: generator.flag()), .configure(kind, generator.bytes(4...18))]
      }
    }
  }

  @Test func `environmental sensor and magnetometer commands decode to their original values`() {
    expectRoundTrips { generator -> [Magnetometer] in
      [
        .repetitions(xyCode: generator.byte(), zCode: generator.byte()),
        .rate(generator.pick(Magnetometer.Rate.allCases)),
        .threshold(register: generator.flag() ? 6 : 7, generator.bytes(2...18)),
      ]
    }
    expectRoundTrips { generator -> [Barometer] in
      [
        .configure(
          .init(
            oversampling: generator.pick(Barometer.Oversampling.allCases),
            filter: generator.pick(Barometer.Filter.allCases),
            standbyCode: generator.byte() & 7)),
        .measure(isOn: generator.flag(), withAltitude: generator.flag()),
      ]
    }
    expectRoundTrips { [Humidity.oversampling($0.pick(Humidity.Oversampling.allCases))] }
    expectRoundTrips { generator -> [AmbientLight] in
      [
        .configure(
          generator.pick(AmbientLight.Gain.allCases), integrationCode: generator.byte() & 7,
          rateCode: generator.byte() & 7),
        .measure(isOn: generator.flag()),
      ]
    }
    expectRoundTrips { generator in
      [
        ColourSensor.configure(
          integrationSteps: .random(in: 1...256, using: &generator),
          generator.pick(ColourSensor.Gain.allCases), isLit: generator.flag())
      ]
    }
    expectRoundTrips { generator in
      [
        Proximity.configure(
          integrationSteps: .random(in: 1...256, using: &generator), pulses: generator.byte(),
          generator.pick(Proximity.Diode.allCases), generator.pick(Proximity.Current.allCases))
      ]
    }
    expectRoundTrips { generator -> [Temperature] in
      [
        .read(channel: generator.byte(), isSilent: generator.flag()),
        .externalThermistor(
          channel: generator.byte(), dataPin: generator.byte(), pulldownPin: generator.byte(),
          isActiveHigh: generator.flag()),
      ]
    }
  }

  @Test func `sensor fusion commands decode to their original values`() {
    expectRoundTrips { generator -> [SensorFusion] in
      [
        .run(isOn: generator.flag()),
        .configure(
          .init(
            mode: generator.pick(SensorFusion.Mode.allCases),
            acceleration: generator.pick(SensorFusion.AccelerationRange.allCases),
            rotation: generator.pick(SensorFusion.RotationRange.allCases))),
        .outputs(
          enable: .init(rawValue: generator.byte()), disable: .init(rawValue: generator.byte())),
        .calibrate(
          generator.pick([.accelerometer, .gyroscope, .magnetometer]), generator.bytes(10...10)),
        .resetOrientation,
      ]
    }
  }

  // MARK: Lights, pins, buses

  @Test func `LED, NeoPixel, haptic and iBeacon commands decode to their original values`() {
    expectRoundTrips { generator -> [LED] in
      [
        .playback(generator.pick(LED.Playback.allCases)), .stop(isClearing: generator.flag()),
        .store(
          LED.Pattern(
            high: generator.byte(), low: generator.byte(), riseMilliseconds: generator.word(),
            highMilliseconds: generator.word(), fallMilliseconds: generator.word(),
            periodMilliseconds: generator.word(), delayMilliseconds: generator.word(),
            repetitions: generator.byte()), generator.pick(LED.Colour.allCases)),
      ]
    }
    expectRoundTrips { generator -> [NeoPixel] in
      let strand = generator.byte()
      return [
        .open(
          strand: strand, generator.pick(NeoPixel.Order.allCases), isFast: generator.flag(),
          pin: generator.byte(), count: generator.byte()),
        .hold(strand: strand, isOn: generator.flag()),
        .clear(strand: strand, first: generator.byte(), last: generator.byte()),
        .colour(
          strand: strand, index: generator.byte(), red: generator.byte(), green: generator.byte(),
          blue: generator.byte()),
        .rotate(
          strand: strand, isAway: generator.flag(), times: generator.byte(),
          milliseconds: generator.word()),
        .close(strand: strand),
      ]
    }
    expectRoundTrips { generator -> [Haptic] in
      [
        .motor(duty: generator.byte(), milliseconds: generator.word()),
        .buzzer(milliseconds: generator.word()),
      ]
    }
    expectRoundTrips { generator -> [IBeacon] in
      [
        .enable(isOn: generator.flag()), .identifier(generator.bytes(16...16)),
        .major(generator.word()), .minor(generator.word()),
        .receivedPower(dBm: Int8(bitPattern: generator.byte())),
        .sentPower(dBm: Int8(bitPattern: generator.byte())),
        .period(milliseconds: generator.word()),
      ]
    }
  }

  @Test func `pin, I2C and SPI commands decode to their original values`() {
    expectRoundTrips { generator -> [GPIO] in
      let pin = generator.byte()
      let options = GPIO.ReadOptions(
        pullUpPin: generator.byte(), pullDownPin: generator.byte(), delaySteps: generator.byte(),
        virtualPin: generator.byte())
      let reads = GPIO.Quantity.allCases.flatMap { quantity -> [GPIO] in
        [
          .read(quantity, pin: pin, nil, isSilent: generator.flag()),
          .read(quantity, pin: pin, options, isSilent: generator.flag()),
        ]
      }
      return reads + GPIO.Pull.allCases.map { .pull($0, pin: pin) }
        + GPIO.Edge.allCases.map { .edge($0, pin: pin) } + [
          .write(pin: pin, isHigh: generator.flag()), .watch(pin: pin, isOn: generator.flag()),
        ]
    }
    expectRoundTrips { generator -> [SerialBus] in
      let spi = SerialBus.SPI(
        selectPin: generator.byte(), clockPin: generator.byte(), outPin: generator.byte(),
        inPin: generator.byte(), isLeastSignificantFirst: generator.flag(), mode: generator.byte(),
        clockCode: generator.byte(), hasNativePins: generator.flag())
      return [
        .readI2C(
          device: generator.byte(), register: generator.byte(), id: generator.byte(),
          length: generator.byte(), isSilent: generator.flag()),
        .writeI2C(device: generator.byte(), register: generator.byte(), generator.bytes(0...14)),
        .readSPI(
          spi, id: generator.byte() & 0x0f, length: .random(in: 1...16, using: &generator),
          sending: generator.bytes(0...12), isSilent: generator.flag()),
        .writeSPI(spi, generator.bytes(0...13)),
      ]
    }
  }

  // MARK: The board itself

  @Test func `settings commands decode to their original values`() {
    expectRoundTrips { generator -> [Settings] in
      [
        .name(generator.bytes(1...18)),
        .advertising(
          .init(
            intervalCode: generator.word(), timeoutSeconds: generator.byte(),
            type: generator.flag() ? generator.byte() : nil)),
        .sentPower(dBm: Int8(bitPattern: generator.byte())), .startAdvertising,
        .scanResponse(generator.bytes(1...18)), .scanResponseStart(generator.bytes(1...18)),
        .link(
          .init(
            minimumInterval: generator.word(), maximumInterval: generator.word(),
            latency: generator.word(), timeout: generator.word())),
        .whitelistMode(generator.pick(Settings.WhitelistMode.allCases)),
        .whitelist(
          index: generator.byte(), addressType: generator.byte(),
          BoardAddress(value: UInt64.random(in: 0..<(1 << 48), using: &generator))),
        .threeVolts(isOn: generator.flag()), .slowPhysicalLayer(isForced: generator.flag()),
      ]
    }
  }

  @Test func `logging, timer, macro and debug commands decode to their original values`() {
    expectRoundTrips { generator -> [Logging] in
      [
        .run(isOn: generator.flag()), .addTrigger(generator.source()),
        .queryTrigger(generator.byte()), .removeTrigger(generator.byte()), .removeAllTriggers,
        .readOut(entries: generator.long(), progressInterval: generator.long()),
        .drop(entries: generator.long()), .overwrite(isOn: generator.flag()), .confirmPage, .flush,
      ]
    }
    expectRoundTrips { generator -> [MetaWearProtocol.Timer] in
      let id = generator.byte()
      return [
        .create(
          periodMilliseconds: generator.long(), repetitions: generator.word(),
          isImmediate: generator.flag()),
        .start(id), .stop(id), .remove(id), .notify(id, isOn: generator.flag()),
      ]
    }
    expectRoundTrips { generator -> [Macro] in
      [
        .begin(runsAtBoot: generator.flag()), .store(generator.bytes(1...18)),
        .storeStart(generator.byte(), generator.byte()), .end, .run(generator.byte()), .eraseAll,
      ]
    }
    expectRoundTrips { generator -> [Debug] in
      [
        .reset, .bootloader, .spoof(generator.bytes(3...18)), .setKey(generator.long()),
        .resetAfterCleaning, .disconnect, .savePower, .assertStack(isOn: generator.flag()),
      ]
    }
  }

  @Test func `event commands decode to their original values`() {
    expectRoundTrips { generator -> [Event] in
      let module = generator.pick(ModuleID.allCases)
      let header = PacketHeader(
        module, generator.byte(), isRead: generator.flag(), isSilent: generator.flag())
      let sources: [Event.Source] = [
        .disconnect, .switch, .timer(generator.byte()), .processor(generator.byte()),
        .pin(generator.byte()), .init(header, index: generator.byte()),
      ]
      let copy = Event.Copy(
        length: generator.byte(), sourceOffset: generator.byte(), parameterOffset: generator.byte())
      return sources.flatMap { source -> [Event] in
        [
          .begin(source, header, parameterCount: generator.byte(), nil),
          .begin(source, header, parameterCount: generator.byte(), copy),
        ]
      } + [.parameters(generator.bytes(0...18)), .remove(generator.byte()), .removeAll]
    }
  }

  // MARK: Data processors

  @Test func `data processor commands decode to their original values`() {
    expectRoundTrips { generator -> [DataProcessor] in
      let id = generator.byte()
      let functions = generator.functions()
      return functions.map { .create($0, on: generator.source(upTo: 8)) }
        + functions.map { .modify(id, $0) } + [
          .setState(id, generator.bytes(0...17)), .readState(id, isSilent: generator.flag()),
          .query(id), .subscribe(id), .unsubscribe(id), .remove(id), .removeAll,
        ]
    }
  }

  // MARK: Requests

  @Test(arguments: [
    ModuleCommandTests.mma8452q, ModuleCommandTests.bmi160, ModuleCommandTests.bma255,
    ModuleCommandTests.bmi270, ModuleTable(),
  ])
  func `requests for modules and signals decode to their original values`(_ modules: ModuleTable) {
    for module in ModuleID.allCases {
      let request = ModuleInfoRequest(module)
      #expect(request.command.meaning(on: modules) as? ModuleInfoRequest == request)
    }
    let kinds: [SignalRequest.Kind] = [.subscribe, .unsubscribe, .read, .readSilently]
    for signal in Signal.allCases {
      for kind in kinds {
        guard let request = SignalRequest(kind, signal, on: modules) else { continue }
        let meaning = request.command.meaning(on: modules) as? SignalRequest
        #expect(meaning?.kind == kind)
        #expect(meaning?.command == request.command)
        // On the BMI270, the step event and the step count share a register. The decoder reports
        // the first of the two signals.
        #expect(meaning?.signal.place(on: modules)?.register == signal.place(on: modules)?.register)
      }
    }
  }

  @Test func `an unknown command keeps its bytes when it is decoded`() {
    for bytes in ["03 3f", "01 02 03", "77 01", "02 03 03 02", "11 13 04"] {
      let command = Command(bytes: hex(bytes))
      #expect(command.map { $0.meaning(on: ModuleCommandTests.bmi160) as? Command } == command)
    }
  }
}

extension SeededGenerator {
  mutating func byte() -> UInt8 { .random(in: .min ... .max, using: &self) }
  mutating func word() -> UInt16 { .random(in: .min ... .max, using: &self) }
  mutating func long() -> UInt32 { .random(in: .min ... .max, using: &self) }
  mutating func signed() -> Int32 { .random(in: .min ... .max, using: &self) }
  mutating func flag() -> Bool { .random(using: &self) }

  mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: count, using: &self)).map { _ in byte() }
  }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &self)]
  }

  /// Returns a random signal source. Lengths above 8 wrap when they are encoded, and decode to
  /// shorter ones.
  mutating func source(upTo length: Int = 4) -> SignalSource {
    SignalSource(
      PacketHeader(pick(ModuleID.allCases), byte(), isRead: flag(), isSilent: flag()),
      index: byte(), length: .random(in: 1...length, using: &self),
      offset: .random(in: 0...31, using: &self))
  }

  /// Returns one processor function of each kind.
  mutating func functions() -> [ProcessorFunction] {
    let sizes = ProcessorFunction.Sizes(
      input: .random(in: 1...4, using: &self), output: .random(in: 1...4, using: &self))
    let isSigned = flag()
    let channels = flag() ? Int.random(in: 1...256, using: &self) : nil
    let size = Int.random(in: 1...4, using: &self)
    // At most three, because six one-byte references would look like the old comparator.
    let references = (0..<Int.random(in: 1...3, using: &self)).map { _ in
      reference(size, isSigned: isSigned)
    }
    let length = Int.random(in: 1...8, using: &self)
    return [
      .passThrough(pick([.all, .conditional, .count]), value: word()),
      .accumulator(sizes), .eventCounter(sizes),
      .averager(sizes, depth: byte(), isHighPass: flag(), channels: channels),
      .comparator(
        isSigned: isSigned, pick(ProcessorFunction.Comparison.allCases), reference: signed()),
      .multiComparator(
        isSigned: isSigned, size: size, pick(ProcessorFunction.Comparison.allCases),
        pick([.input, .reference, .zone, .binary]), references: references),
      .magnitude(
        sizes, channels: .random(in: 1...8, using: &self), isSigned: isSigned, isMean: flag()),
      .time(
        length: length, pick([.absolute, .difference, .passThrough]), periodMilliseconds: long()),
      .math(
        sizes, isSigned: isSigned, pick(ProcessorFunction.Operation.allCases), operand: signed(),
        channels: channels),
      .delay(length: .random(in: 1...256, using: &self), samples: byte()),
      .pulse(
        length: .random(in: 1...256, using: &self), pick([.width, .area, .peak, .onDetect]),
        threshold: signed(), samples: word()),
      .delta(
        size: size, isSigned: isSigned, pick([.absolute, .differential, .binary]),
        magnitude: signed()),
      .threshold(
        size: size, isSigned: isSigned, isBinary: flag(), boundary: signed(), hysteresis: word()),
      .buffer(length: .random(in: 1...256, using: &self)),
      .packer(sampleLength: length, count: .random(in: 1...(17 / length), using: &self)),
      .accounter(isTime: flag(), stampLength: size),
      .fuser(
        buffers: bytes(0...5), padding: .random(in: 0...7, using: &self)),
    ]
  }

  private mutating func reference(_ size: Int, isSigned: Bool) -> Int64 {
    let half = Int64(1) << Int64(8 * size - 1)
    let range = isSigned ? -half...(half - 1) : 0...(2 * half - 1)
    return .random(in: range, using: &self)
  }
}
