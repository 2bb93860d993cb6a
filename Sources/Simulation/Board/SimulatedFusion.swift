internal import Glibc
import MetaWearProtocol
internal import Values

/// A simulated board's sensor fusion. It needs no estimation, because the board's true orientation
/// is known.
struct SimulatedFusion: Sendable {
  /// Minimum number of seconds between stopping fusion and starting it with other outputs.
  static let pauseSeconds = 0.5

  var configuration = SensorFusion.Configuration(mode: .sleep)
  var outputs: SensorFusion.Outputs = []
  /// True time at which sensor fusion was started; `nil` while it is stopped.
  private(set) var startedAt: Double?
  private(set) var stoppedAt: Double?
  private(set) var lastOutputs: SensorFusion.Outputs = []
  /// Sensors whose earlier calibration data was restored.
  var calibrated: Set<ModuleID> = []
  /// The angle in degrees that is subtracted from every heading.
  private var zero = 0.0
  /// The heading's drift without a magnetometer, in degrees per second.
  private let drift: Double
  private var noise: SensorNoise

  init(seed: UInt64, boot: UInt8) {
    let ownSeed = seed &* 2 &+ UInt64(ModuleID.sensorFusion.rawValue)
    var chip = SensorNoise(seed: ownSeed)
    drift = (chip.uniform() - 0.5) * 0.02
    noise = SensorNoise(seed: ownSeed ^ (UInt64(boot) + 1) << 56)
  }

  var isRunning: Bool { startedAt != nil }

  /// Starts sensor fusion. Without a magnetometer, the first heading is 0.
  mutating func start(at time: Double, _ orientation: Orientation) {
    startedAt = time
    lastOutputs = outputs
    zero = usesMagnetometer ? 0 : orientation.heading
  }

  /// Stops sensor fusion. This discards the library's calibration.
  mutating func stop(at time: Double) {
    guard isRunning else { return }
    startedAt = nil
    stoppedAt = time
    calibrated = []
  }

  private var usesMagnetometer: Bool { configuration.mode.sensors.contains(.magnetometer) }

  /// Returns a sensor's calibration accuracy, which rises over a few seconds unless earlier
  /// calibration data was restored.
  func accuracy(of sensor: ModuleID, at time: Double) -> SensorFusion.Accuracy {
    guard let startedAt, configuration.mode.sensors.contains(sensor) else { return .unreliable }
    if calibrated.contains(sensor) { return .high }
    let secondsPerStep = sensor == .gyroscope ? 0.5 : sensor == .accelerometer ? 1 : 2
    let step = ((time - startedAt) / secondsPerStep).rounded(.down)
    return SensorFusion.Accuracy(rawValue: UInt8(min(max(0, step), 3))) ?? .high
  }

  /// Returns the board's orientation as the library would estimate it. With a magnetometer, the
  /// orientation is relative to magnetic north. Without one, the orientation is relative to the
  /// first heading and drifts slightly.
  func estimate(_ orientation: Orientation, _ field: SIMD3<Double>, at time: Double)
    -> Orientation
  {
    var turn = zero
    if usesMagnetometer {
      turn += atan2(field.x, field.y) * 180 / Double.pi
    } else if let startedAt {
      turn += drift * (time - startedAt)
    }
    return Orientation(degrees: turn, about: SIMD3(0, 0, 1)) * orientation
  }

  mutating func resetOrientation(_ estimate: Orientation) {
    zero += estimate.heading
  }

  mutating func noisy(_ vector: SIMD3<Double>, deviation: Double) -> SIMD3<Double> {
    vector + noise.vector() * deviation
  }
}

extension SimulatedBoard {
  private static let standardGravity = SensorFusion.standardGravity

  /// Complains if a client uses a sensor that sensor fusion is using.
  mutating func complainAboutFusion(using module: ModuleID, beside signal: Signal? = nil) {
    let isStream =
      switch signal {
      case nil, .acceleration, .accelerationPacked, .angularVelocity, .angularVelocityPacked,
        .magneticField, .magneticFieldPacked:
        true
      default: false
      }
    if isStream, let fusion = state.fusion, fusion.isRunning,
      fusion.configuration.mode.sensors.contains(module)
    {
      complain("module \(module) must not be used while sensor fusion uses it")
    }
  }

  mutating func obey(_ command: SensorFusion) {
    guard let fusion = state.fusion else { return }
    let now = now
    switch command {
    case .run(isOn: true): startFusion(fusion)
    case .run(isOn: false): state.fusion?.stop(at: now)
    case .configure(let configuration):
      if fusion.isRunning {
        complain("sensor fusion cannot be configured while it is running")
      } else if let missing = configuration.mode.sensors.first(where: { !model.modules.has($0) }) {
        complain("this mode needs module \(missing)")
      } else {
        state.fusion?.configuration = configuration
      }
    case .outputs(let enable, let disable):
      state.fusion?.outputs = fusion.outputs.union(enable).subtracting(disable)
    case .calibrate(let sensor, let bytes): calibrate(sensor, bytes)
    case .resetOrientation:
      guard requireFusion(revision: 3) else { return }
      if fusion.isRunning {
        let estimate = estimate()
        state.fusion?.resetOrientation(estimate)
      } else {
        complain("sensor fusion provides no orientation while it is stopped")
      }
    }
  }

  private mutating func requireFusion(revision: UInt8) -> Bool {
    let isThere = model.modules.has(.sensorFusion, revision: revision)
    if !isThere { complain("this command needs revision \(revision) of module sensorFusion") }
    return isThere
  }

  private mutating func startFusion(_ fusion: SimulatedFusion) {
    guard !fusion.isRunning else { return }
    guard fusion.configuration.mode != .sleep else {
      complain("sensor fusion needs a mode before it is started")
      return
    }
    if fusion.outputs.isEmpty { complain("sensor fusion was started without an output") }
    for (output, sensor) in Self.correctedOutputs
    where fusion.outputs.contains(output)
      && !fusion.configuration.mode.sensors.contains(sensor)
    {
      complain("an output of module \(sensor) was requested, but this mode does not use the module")
    }
    for sensor in fusion.configuration.mode.sensors {
      if let lack = lack(of: sensor, for: fusion.configuration) { complain(lack) }
      for signal in Self.streams[sensor] ?? [] where isSubscribed(signal) {
        complain("do not subscribe to \(signal) while sensor fusion uses its module")
      }
    }
    if let stoppedAt = fusion.stoppedAt, now - stoppedAt < SimulatedFusion.pauseSeconds,
      fusion.outputs != fusion.lastOutputs
    {
      complain("wait half a second before starting sensor fusion with other outputs")
    }
    let (now, orientation) = (now, wearer.orientation(at: now))
    state.fusion?.start(at: now, orientation)
  }

  private static let correctedOutputs: [(SensorFusion.Outputs, ModuleID)] = [
    (.correctedAcceleration, .accelerometer), (.correctedAngularVelocity, .gyroscope),
    (.correctedMagneticField, .magnetometer),
  ]

  private static let streams: [ModuleID: [Signal]] = [
    .accelerometer: [.acceleration, .accelerationPacked],
    .gyroscope: [.angularVelocity, .angularVelocityPacked],
    .magnetometer: [.magneticField, .magneticFieldPacked],
  ]

  /// Returns the first step that the host omitted when setting up a sensor for sensor fusion; `nil`
  /// if no step was omitted.
  private func lack(
    of module: ModuleID, for configuration: SensorFusion.Configuration
  ) -> String? {
    let (rate, range, isReady, isRunning): (Double?, Double?, Bool, Bool)
    let (neededRate, neededRange): (Double, Double?)
    if module == .magnetometer {
      let magnetometer = state.magnetometer
      (rate, range) = (magnetometer?.rate.hertz, nil)
      isReady = magnetometer?.isDataReady == true
      isRunning = magnetometer?.clock.isRunning == true
      (neededRate, neededRange) = (25, nil)
    } else {
      let sensor = sensorIndex(module).map { state.sensors[$0] }
      (rate, range) = (sensor?.configuration?.rate.hertz, sensor?.configuration?.range.limit)
      isReady = sensor?.isDataReady == true
      isRunning = sensor?.isRunning == true
      neededRate = module == .accelerometer ? configuration.mode.hertz : 100
      neededRange =
        module == .accelerometer
        ? configuration.acceleration.limit : configuration.rotation.limit
    }
    if rate != neededRate || range != neededRange {
      return "sensor fusion needs module \(module) at \(Int(neededRate)) Hz "
        + "and the configured range"
    }
    if !isReady || !isRunning {
      return "sensor fusion needs module \(module) running with data-ready enabled"
    }
    return nil
  }

  private func estimate() -> Orientation {
    let orientation = wearer.orientation(at: now)
    return state.fusion?.estimate(orientation, surroundings.magneticField, at: now) ?? orientation
  }

  // MARK: Calibration

  func fusionValue(_ signal: Signal) -> [UInt8]? {
    guard let fusion = state.fusion else { return nil }
    switch signal {
    case .fusionConfiguration:
      return Array(SensorFusion.configure(fusion.configuration).command.payload)
    case .fusionCalibrationState:
      return [ModuleID.accelerometer, .gyroscope, .magnetometer].map {
        fusion.accuracy(of: $0, at: now).rawValue
      }
    case .accelerometerCalibration:
      return calibration(of: .accelerometer, fusion.accuracy(of: .accelerometer, at: now))
    case .gyroscopeCalibration:
      return calibration(of: .gyroscope, fusion.accuracy(of: .gyroscope, at: now))
    case .magnetometerCalibration:
      return calibration(of: .magnetometer, fusion.accuracy(of: .magnetometer, at: now))
    default: return nil
    }
  }

  /// Returns the sensor's offsets, radius and accuracy, in five words.
  private func calibration(of sensor: ModuleID, _ accuracy: SensorFusion.Accuracy) -> [UInt8] {
    var chip = SensorNoise(seed: address.value &+ UInt64(sensor.rawValue))
    let offsets = (0..<3).map { _ in Int16((chip.uniform() - 0.5) * 40) }
    let radius: Int16 = sensor == .gyroscope ? 0 : 1_000
    return (offsets + [radius, Int16(accuracy.rawValue)]).flatMap(\.littleEndianBytes)
  }

  private mutating func calibrate(_ sensor: ModuleID, _ bytes: [UInt8]) {
    guard requireFusion(revision: 2) else { return }
    guard bytes.span.uint16(at: 8) == UInt16(SensorFusion.Accuracy.high.rawValue) else {
      complain("the calibration data was not read at accuracy 3")
      // The real library crashes on magnetometer calibration data with an accuracy other than 3.
      if sensor == .magnetometer { reset(.crash) }
      return
    }
    state.fusion?.calibrated.insert(sensor)
  }

  // MARK: Outputs

  /// Sends the outputs once every sensor that the mode uses has delivered samples. Called for every
  /// accelerometer sample, because the accelerometer's rate determines the output rate.
  mutating func fuse() {
    guard let fusion = state.fusion, fusion.isRunning else { return }
    for module in fusion.configuration.mode.sensors where !delivers(module) { return }
    let estimate = estimate()
    let up = estimate.inverse(SIMD3(0, 0, 1))
    // The corrected values contain noise but no bias, because the library removes the bias.
    let limit = fusion.configuration.acceleration.limit
    let (force, turning) = (wearer.acceleration(at: now), wearer.angularVelocity(at: now))
    let felt = (state.fusion?.noisy(force, deviation: 0.001) ?? force)
      .clamped(lowerBound: SIMD3(repeating: -limit), upperBound: SIMD3(repeating: limit))
    let turned = state.fusion?.noisy(turning, deviation: 0.05) ?? turning
    let field = wearer.orientation(at: now).inverse(surroundings.magneticField)
    tellFusion(
      .correctedAcceleration, felt * SensorFusion.countsPerG, accuracyOf: .accelerometer)
    tellFusion(.correctedAngularVelocity, turned, accuracyOf: .gyroscope)
    tellFusion(.correctedMagneticField, field, accuracyOf: .magnetometer)
    tellFusion(
      .quaternion,
      [estimate.real, estimate.imaginary.x, estimate.imaginary.y, estimate.imaginary.z])
    tellFusion(.euler, estimate.eulerAngles)
    tellFusion(.gravity, vector(up * Self.standardGravity))
    tellFusion(.linearAcceleration, vector((felt - up) * Self.standardGravity))
  }

  private func delivers(_ module: ModuleID) -> Bool {
    if module == .magnetometer {
      return state.magnetometer?.isDataReady == true
        && state.magnetometer?.clock.hasSamples == true
    }
    return sensorIndex(module).map {
      state.sensors[$0].isDataReady && state.sensors[$0].clock.hasSamples
    } ?? false
  }

  private func vector(_ value: SIMD3<Double>) -> [Double] { [value.x, value.y, value.z] }

  private mutating func tellFusion(
    _ signal: Signal, _ value: SIMD3<Double>, accuracyOf sensor: ModuleID
  ) {
    guard let fusion = state.fusion, fusion.configuration.mode.sensors.contains(sensor) else {
      return
    }
    let accuracy = fusion.accuracy(of: sensor, at: now)
    tellFusion(signal, vector(value), [accuracy.rawValue])
  }

  private mutating func tellFusion(_ signal: Signal, _ numbers: [Double], _ rest: [UInt8] = []) {
    guard let output = Self.outputs[signal], state.fusion?.outputs.contains(output) == true else {
      return
    }
    let bytes = numbers.flatMap { Float($0).bitPattern.littleEndianBytes }
    tell(signal, bytes + rest, sampleCount: 1)
  }

  private static let outputs: [Signal: SensorFusion.Outputs] = [
    .correctedAcceleration: .correctedAcceleration,
    .correctedAngularVelocity: .correctedAngularVelocity,
    .correctedMagneticField: .correctedMagneticField, .quaternion: .quaternion,
    .euler: .eulerAngles, .gravity: .gravity, .linearAcceleration: .linearAcceleration,
  ]
}

extension Orientation {
  /// Heading, pitch about x, roll about y and the heading again, in degrees. Rotating a level board
  /// about its z, y and x axes, in this order, results in this orientation.
  var eulerAngles: [Double] {
    let degrees = 180 / Double.pi
    let (x, y, z) = (imaginary.x, imaginary.y, imaginary.z)
    let pitch = atan2(2 * (real * x + y * z), 1 - 2 * (x * x + y * y)) * degrees
    let roll = asin(min(max(-1, 2 * (real * y - z * x)), 1)) * degrees
    let turn = atan2(2 * (real * z + x * y), 1 - 2 * (y * y + z * z)) * degrees
    // Compass headings are clockwise.
    let heading = turn > 0 ? 360 - turn : -turn
    return [heading, pitch, roll, heading]
  }
}
