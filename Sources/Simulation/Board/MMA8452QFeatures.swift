import MetaWearProtocol

/// Simulates an MMA8452Q's motion features. The algorithms are simplified, but respect the chip's
/// settings.
struct MMA8452QFeatures: Sendable {
  /// The unit of all the chip's thresholds, in g. It is the same for every measuring range.
  private static let thresholdStep = 0.063

  private var enabled: Set<MMA8452QFeature.Kind> = []
  private var settings: [MMA8452QFeature.Kind: [UInt8]] = [:]

  private var movement = HoldDetector()
  private var shake = HoldDetector()
  private var tap = TapDetector()
  private var position = PositionDetector()
  private var filter = GravityFilter(seconds: 0.2)

  mutating func powerOn() {
    (movement, shake) = (HoldDetector(), HoldDetector())
    tap = TapDetector()
    filter = GravityFilter(seconds: 0.2)
  }

  /// Executes a command. Returns an error message, or an empty string if the command is valid.
  mutating func obey(_ feature: MMA8452QFeature) -> String {
    switch feature {
    case .enable(let kind, isOn: true):
      if settings[kind] == nil { return "configure a feature of the MMA8452Q before turning it on" }
      enabled.insert(kind)
    case .enable(let kind, isOn: false): enabled.remove(kind)
    case .configure(let kind, let bytes):
      if enabled.contains(kind) { return "a feature cannot be configured while it is on" }
      let expected = [.orientation: 5, .tap: 8][kind] ?? 4
      if bytes.count != expected { return "this feature's settings must have \(expected) bytes" }
      settings[kind] = bytes
    }
    return ""
  }

  mutating func sense(_ reading: MotionReading) -> [FeatureNotice] {
    let gravity = filter.sense(reading)
    var notices: [FeatureNotice] = []
    if let bytes = active(.movement), let byte = senseMovement(reading, bytes) {
      notices.append(FeatureNotice(.movement, [byte]))
    }
    if let bytes = active(.shake), let byte = senseShake(reading, gravity, bytes) {
      notices.append(FeatureNotice(.shake, [byte]))
    }
    if let bytes = active(.tap), let byte = senseTap(reading, bytes) {
      notices.append(FeatureNotice(.tap, [byte]))
    }
    if active(.orientation) != nil, let code = position.sense(reading) {
      // Left and right are swapped on this chip.
      let quarter: UInt8 = [0, 1, 3, 2][Int(code & 3)]
      notices.append(FeatureNotice(.orientation, [0x80 | quarter << 1 | (code >> 2)]))
    }
    return notices
  }

  private func active(_ kind: MMA8452QFeature.Kind) -> [UInt8]? {
    enabled.contains(kind) ? settings[kind] : nil
  }

  private mutating func senseMovement(_ reading: MotionReading, _ bytes: [UInt8]) -> UInt8? {
    let threshold = Double(bytes[2] & 0x7f) * Self.thresholdStep
    let axes = (0..<3).filter {
      bytes[0] >> UInt8(3 + $0) & 1 != 0 && abs(reading.force[$0]) > threshold
    }
    // Bit 6 of the first byte is set for motion on any axis, and clear for free fall on all axes.
    let happens = bytes[0] & 0x40 != 0 ? !axes.isEmpty : axes.isEmpty
    let seconds = Double(max(1, bytes[3])) * reading.period
    guard movement.sense(happens, for: seconds, period: reading.period) else { return nil }
    return 0x80 | Self.bits(axes, reading.force)
  }

  private mutating func senseShake(
    _ reading: MotionReading, _ gravity: SIMD3<Double>, _ bytes: [UInt8]
  ) -> UInt8? {
    let threshold = Double(bytes[2] & 0x7f) * Self.thresholdStep
    let dynamic = reading.force - gravity
    let axes = (0..<3).filter {
      bytes[0] >> UInt8(1 + $0) & 1 != 0 && abs(dynamic[$0]) > threshold
    }
    let seconds = Double(max(1, bytes[3])) * reading.period
    guard shake.sense(!axes.isEmpty, for: seconds, period: reading.period) else { return nil }
    return 0x40 | Self.bits(axes, dynamic)
  }

  /// Returns two bits per axis. The higher bit is set if the threshold is exceeded; the lower bit
  /// is the sign.
  private static func bits(_ axes: [Int], _ force: SIMD3<Double>) -> UInt8 {
    axes.reduce(0) { bits, axis in
      bits | (force[axis] < 0 ? 3 : 2) << UInt8(2 * axis)
    }
  }

  private mutating func senseTap(_ reading: MotionReading, _ bytes: [UInt8]) -> UInt8? {
    let limits = bytes[2...4].map { Double($0) * Self.thresholdStep }
    // At 400 Hz and above, the tap latency is in units of 1.25 ms and the tap window in units of
    // 2.5 ms.
    guard
      let tap = tap.sense(
        reading, thresholds: SIMD3(limits[0], limits[1], limits[2]),
        ringing: Double(bytes[6]) * 0.00125, window: Double(bytes[7]) * 0.0025)
    else { return nil }
    let single = bytes[0] >> UInt8(2 * tap.axis) & 1 != 0
    let double = bytes[0] >> UInt8(2 * tap.axis + 1) & 1 != 0
    guard tap.isSecond && double || single else { return nil }
    return 0x80 | 0x10 << UInt8(tap.axis) | (tap.isSecond && double ? 0x08 : 0)
      | (tap.isNegative ? 1 << UInt8(tap.axis) : 0)
  }
}
