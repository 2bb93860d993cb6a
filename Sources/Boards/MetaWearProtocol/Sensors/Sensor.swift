public import Recording

/// A signal of a board that can be recorded as a stream: its quantity, its settings, and the
/// commands that make the board send it.
public protocol Sensor: Sendable {
  /// Name of the signal, such as `acceleration`.
  var signal: String { get }
  /// Unit of the signal.
  var unit: String { get }
  /// Names of the axes.
  var axes: [String] { get }
  /// Name of the chip, for messages.
  var chipName: String { get }
  /// Available samples per second, slowest first.
  var rates: [Double] { get }
  /// Available largest magnitudes, in the unit of the signal; empty if there is no choice.
  var ranges: [Double] { get }
  /// Whether it sends by itself; otherwise each sample must be read.
  var isStreaming: Bool { get }

  /// The commands for one choice of settings; without `range`, the widest one is used.
  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup
}

extension Sensor {
  /// The index of the requested rate.
  func offered(rate: Double, tolerance: Double = 0.005) throws(SettingError) -> Int {
    guard let place = rates.place(ofRate: rate, tolerance: tolerance) else {
      throw .rate(rate, signal: signal, chip: chipName, available: rates)
    }
    return place
  }

  /// The index of the requested range.
  func offered(range: Double?) throws(SettingError) -> Int {
    guard let range else { return ranges.count - 1 }
    guard let place = ranges.firstIndex(of: range) else {
      throw .range(range, signal: signal, chip: chipName, available: ranges, unit: unit)
    }
    return place
  }

  /// Refuses a range if there is no choice.
  func requireNoRange(_ range: Double?) throws(SettingError) {
    guard let range, !ranges.contains(range) else { return }
    throw .range(range, signal: signal, chip: chipName, available: ranges, unit: unit)
  }
}

/// The setup of one stream on a board: its description, and the commands in order.
public struct SensorSetup: Hashable, Sendable {
  /// The layout decides the loss accounting.
  public var description: StreamDescription
  public var samples: SampleSource
  /// The module that works for this stream. Streams of the same module share it. A stream of
  /// another module must not use any module that this one configures.
  public var owner: ModuleID
  /// Commands for rate, range and all other settings made while stopped.
  public var configure: [Command]
  /// A read that shows whether the board accepted the configuration, and the answer if it did.
  public var check: Check?
  /// Lets finished samples leave the sensor; sent first, for all streams.
  public var enable: [Command] = []
  /// Switches sensors on; sent second, for all streams.
  public var powerOn: [Command] = []
  /// Algorithms on the sensors' samples; sent last, for all streams.
  public var run: [Command] = []
  /// Stops the stream; the board also runs these commands by itself when the link is lost.
  public var powerOff: [Command] = []
  /// The read that asks the board for each sample, if it does not send by itself.
  public var poll: Command?
  /// Seconds to wait between stopping the sensors and configuring them.
  public var settleSeconds = 0.0

  /// A read and the expected answer.
  public struct Check: Hashable, Sendable {
    public let read: Command
    /// The expected answer, to which the board may add bytes.
    public let answer: [UInt8]
  }

  public var signal: String { description.signal }

  /// Samples per second as configured.
  public var rate: Double { description.rate }

  /// Largest magnitude, in the unit of the signal; `nil` if the sensor has no such limit.
  public var range: Double? { description.range }

  /// The modules that the setup configures.
  public var modules: Set<ModuleID> { Set(configure.compactMap(\.header.module)) }

  /// Whether both can run at the same time. Streams with one owner can if they configure it alike
  /// or share no configured module; others if they have no module in common.
  public func isCompatible(with other: SensorSetup) -> Bool {
    owner == other.owner
      ? configure == other.configure || modules.isDisjoint(with: other.modules)
      : modules.isDisjoint(with: other.modules)
  }
}

extension ModuleTable {
  /// All signals that a board with these modules can stream, by module.
  public var sensors: [any Sensor] {
    motionSensors.map { MotionStream(sensor: $0) } + magnetometerStreams + barometerStreams
      + lightStreams + temperatureStreams + otherPolledStreams + stepStreams
      + pinStreams + fusionStreams
  }

  /// Every register that may notify samples.
  public var sampleRegisters: [PacketHeader] {
    var headers = motionSensors.flatMap { sensor in
      [sensor.sampleRegister, sensor.packedRegister].compactMap(\.self)
        .map { PacketHeader(sensor.module, $0) }
    }
    if has(.magnetometer) { headers.append(PacketHeader(.magnetometer, 0x05)) }
    if has(.magnetometer, revision: 1) { headers.append(PacketHeader(.magnetometer, 0x09)) }
    if has(.barometer) {
      headers += [PacketHeader(.barometer, 0x01), PacketHeader(.barometer, 0x02)]
    }
    if has(.ambientLight) { headers.append(PacketHeader(.ambientLight, 0x03)) }
    if has(.sensorFusion) {
      headers += FusionOutput.allCases.map { PacketHeader(.sensorFusion, $0.register) }
    }
    return headers
  }

  /// Commands that stop the sensor fusion and every sensor that streams, whichever program started
  /// them.
  public var halt: [Command] {
    var commands: [Command] = []
    if has(.sensorFusion) {
      commands += [
        SensorFusion.run(isOn: false).command,
        SensorFusion.outputs(enable: [], disable: .all).command,
      ]
    }
    for sensor in motionSensors { commands += [sensor.powerOff, sensor.disableDataReady] }
    if has(.magnetometer) {
      commands += [
        SensorControl.power(.magnetometer, .off).command,
        SensorControl.dataReady(.magnetometer, isOn: false).command,
      ]
    }
    if has(.barometer) { commands.append(Barometer.stop.command) }
    if has(.ambientLight) { commands.append(AmbientLight.measure(isOn: false).command) }
    return commands
  }
}
