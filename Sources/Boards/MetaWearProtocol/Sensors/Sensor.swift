public import Recording

/// Something of a board that can be recorded as a stream: what it measures, what can be chosen, and
/// the commands that bring it to send.
public protocol Sensor: Sendable {
  /// Name of the signal, such as `acceleration`.
  var signal: String { get }
  /// Unit of the signal.
  var unit: String { get }
  /// Names of the axes.
  var axes: [String] { get }
  /// Name of the chip, for messages.
  var chipName: String { get }
  /// Samples per second to choose from, slowest first.
  var rates: [Double] { get }
  /// Largest magnitudes to choose from, in the unit of the signal; empty where there is no choice.
  var ranges: [Double] { get }
  /// Whether it sends by itself; else it has to be read each time.
  var isStreaming: Bool { get }

  /// The commands for one choice; `range` is the widest where none is given.
  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup
}

extension Sensor {
  /// The place of the rate that is asked for.
  func offered(rate: Double, tolerance: Double = 0.005) throws(SettingError) -> Int {
    guard let place = rates.place(ofRate: rate, tolerance: tolerance) else {
      throw .rate(rate, signal: signal, chip: chipName, available: rates)
    }
    return place
  }

  /// The place of the range that is asked for.
  func offered(range: Double?) throws(SettingError) -> Int {
    guard let range else { return ranges.count - 1 }
    guard let place = ranges.firstIndex(of: range) else {
      throw .range(range, signal: signal, chip: chipName, available: ranges, unit: unit)
    }
    return place
  }

  /// Refuses a range where there is nothing to choose.
  func requireNoRange(_ range: Double?) throws(SettingError) {
    guard let range, !ranges.contains(range) else { return }
    throw .range(range, signal: signal, chip: chipName, available: ranges, unit: unit)
  }
}

/// How one stream is set up on a board: its description, and the commands in their order.
public struct SensorSetup: Hashable, Sendable {
  /// What it carries; the layout decides how its losses are known.
  public var description: StreamDescription
  /// Where its samples come from.
  public var samples: SampleSource
  /// The module that works for it alone: another stream of the same module shares it, a stream of
  /// another module must not use what this one configures.
  public var owner: ModuleID
  /// Rate, range and whatever else has to be set while stopped.
  public var configure: [Command]
  /// A read that shows whether the board took the configuration, and the answer if it did.
  public var check: Check?
  /// Lets finished samples leave the sensor; all streams' first.
  public var enable: [Command] = []
  /// Switches sensors on; all streams' second.
  public var powerOn: [Command] = []
  /// What computes on the sensors' samples; all streams' last.
  public var run: [Command] = []
  /// Stops it; also what the board is told to do by itself when the link is lost.
  public var powerOff: [Command] = []
  /// The read by which the board is asked for each sample, where it does not send by itself.
  public var poll: Command?
  /// Seconds to wait after the sensors were stopped and before they are configured.
  public var settleSeconds = 0.0

  /// A question and the answer that is hoped for.
  public struct Check: Hashable, Sendable {
    /// The question.
    public let read: Command
    /// The answer, to which the board may add bytes.
    public let answer: [UInt8]
  }

  /// Name of the signal.
  public var signal: String { description.signal }

  /// Samples per second as configured.
  public var rate: Double { description.rate }

  /// Largest magnitude, in the unit of the signal; `nil` where the sensor has no such limit.
  public var range: Double? { description.range }

  /// The modules it configures.
  public var modules: Set<ModuleID> { Set(configure.compactMap(\.header.module)) }

  /// Whether both can run at a time: streams of one owner if they configure it alike, others if
  /// they have no module in common.
  public func isCompatible(with other: SensorSetup) -> Bool {
    owner == other.owner
      ? configure == other.configure || modules.isDisjoint(with: other.modules)
      : modules.isDisjoint(with: other.modules)
  }
}

extension ModuleTable {
  /// All that a board with these modules can be asked to stream, by module.
  public var sensors: [any Sensor] {
    motionSensors.map { MotionStream(sensor: $0) } + magnetometerStreams + barometerStreams
      + lightStreams + temperatureStreams + otherPolledStreams + stepStreams
      + pinStreams + fusionStreams
  }

  /// Every register from which samples may be notified.
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

  /// Stops every sensor and every processor on it, no matter which program started them.
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
