public import Recording

/// A signal that a board can send as a stream. Describes its quantity, its settings, and the
/// commands that make the board send it.
public protocol Sensor: Sendable {
  /// Name of the signal, such as `acceleration`.
  var signal: String { get }
  var unit: String { get }
  var axes: [String] { get }
  /// Name of the chip, for use in messages.
  var chipName: String { get }
  /// Sampling rates that the user can choose, in samples per second, slowest first.
  var rates: [Double] { get }
  /// Ranges that the user can choose, each as the largest magnitude in the signal's unit. Empty if
  /// there is no choice.
  var ranges: [Double] { get }
  /// Whether the sensor sends samples automatically. If not, each sample must be read.
  var isStreaming: Bool { get }

  /// Returns the setup for these settings. If `range` is `nil`, the widest range is used.
  func setup(rate: Double, range: Double?) throws(SettingError) -> SensorSetup
}

extension Sensor {
  /// Returns the index of the requested rate in `rates`. Throws if the rate is not available.
  func offered(rate: Double, tolerance: Double = 0.005) throws(SettingError) -> Int {
    guard let place = rates.place(ofRate: rate, tolerance: tolerance) else {
      throw .rate(rate, signal: signal, chip: chipName, available: rates)
    }
    return place
  }

  /// Returns the index in `ranges` of the requested range, or of the widest if `range` is `nil`.
  /// Throws if the range is not available.
  func offered(range: Double?) throws(SettingError) -> Int {
    guard let range else { return ranges.count - 1 }
    guard let place = ranges.firstIndex(of: range) else {
      throw .range(range, signal: signal, chip: chipName, available: ranges, unit: unit)
    }
    return place
  }

  /// Throws if the sensor does not offer the requested range.
  func requireNoRange(_ range: Double?) throws(SettingError) {
    guard let range, !ranges.contains(range) else { return }
    throw .range(range, signal: signal, chip: chipName, available: ranges, unit: unit)
  }
}

/// Everything needed to set up one stream on a board: the stream's description and its commands.
public struct SensorSetup: Hashable, Sendable {
  /// The stream's description. The method of accounting for lost samples depends on the packet
  /// layout.
  public var description: StreamDescription
  public var samples: SampleSource
  /// The module that produces the stream. Several streams with the same owner can share this
  /// module. Streams with a different owner must not use any module that this setup configures.
  public var owner: ModuleID
  /// Commands for the rate, the range and all other settings that can be changed only while the
  /// sensor is stopped.
  public var configure: [Command]
  /// The read that verifies the configuration, and the expected response. `nil` if the
  /// configuration cannot be verified.
  public var check: Check?
  /// Commands that enable sample delivery. They are sent before the `powerOn` commands of any
  /// stream.
  public var enable: [Command] = []
  /// Commands that switch sensors on. They are sent after the `enable` commands of all streams.
  public var powerOn: [Command] = []
  /// Commands that start the algorithms that process the sensors' samples. They are sent after the
  /// `powerOn` commands of all streams.
  public var run: [Command] = []
  /// Commands that stop the stream. The board also runs them automatically when the link is lost.
  public var powerOff: [Command] = []
  /// The read that requests a sample, or `nil` if the sensor sends samples automatically.
  public var poll: Command?
  /// Seconds to wait between stopping the sensors and configuring them.
  public var settleSeconds = 0.0

  /// A read, and the response expected if the board accepted the configuration.
  public struct Check: Hashable, Sendable {
    public let read: Command
    /// The expected response. The board may append further bytes to it.
    public let answer: [UInt8]
  }

  public var signal: String { description.signal }

  /// Configured number of samples per second.
  public var rate: Double { description.rate }

  /// Largest magnitude in the signal's unit, or `nil` if the sensor has no such limit.
  public var range: Double? { description.range }

  public var modules: Set<ModuleID> { Set(configure.compactMap(\.header.module)) }

  /// Returns whether two streams can run at the same time. Two streams can configure the same
  /// module only if they have the same owner and identical configurations.
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

  /// All registers from which samples might arrive without a read.
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

  /// Commands that stop sensor fusion and every streaming sensor, even if another program started
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
