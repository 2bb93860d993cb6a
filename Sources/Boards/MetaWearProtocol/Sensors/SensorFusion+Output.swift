extension SensorFusion {
  /// Accuracy of a sensor's calibration.
  public enum Accuracy: UInt8, Hashable, Sendable, BitwiseCopyable, Comparable, CaseIterable {
    case unreliable = 0
    case low = 1
    case medium = 2
    /// The calibration is accurate enough to be worth storing.
    case high = 3

    public static func < (left: Accuracy, right: Accuracy) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// Three floating-point numbers that the board has computed. The output that contains them
  /// determines their unit.
  public struct Vector: Hashable, Sendable, BitwiseCopyable {
    public let x: Float
    public let y: Float
    public let z: Float

    public init(x: Float, y: Float, z: Float) {
      self.x = x
      self.y = y
      self.z = z
    }

    init(decoding packet: Span<UInt8>) throws(DecodeError) {
      x = try packet.finiteFloat(at: 2)
      y = try packet.finiteFloat(at: 6)
      z = try packet.finiteFloat(at: 10)
    }
  }

  /// A rotation as a unit quaternion.
  public struct Quaternion: Hashable, Sendable, BitwiseCopyable {
    /// The real part of the quaternion.
    public let w: Float
    public let x: Float
    public let y: Float
    public let z: Float

    public init(w: Float, x: Float, y: Float, z: Float) {
      self.w = w
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// A rotation as angles in degrees.
  public struct EulerAngles: Hashable, Sendable, BitwiseCopyable {
    /// Heading relative to north, or to the initial direction.
    public let heading: Float
    /// Rotation about the transverse axis.
    public let pitch: Float
    /// Rotation about the longitudinal axis.
    public let roll: Float
    /// Rotation about the vertical axis.
    public let yaw: Float

    public init(heading: Float, pitch: Float, roll: Float, yaw: Float) {
      self.heading = heading
      self.pitch = pitch
      self.roll = roll
      self.yaw = yaw
    }
  }

  /// One sample of a fusion output. A packet that contains a non-finite number cannot be decoded.
  public enum Output: Hashable, Sendable, BitwiseCopyable {
    /// Acceleration in thousandths of a g.
    case correctedAcceleration(Vector, Accuracy)
    /// Angular velocity in degrees per second.
    case correctedAngularVelocity(Vector, Accuracy)
    /// Magnetic field in microtesla.
    case correctedMagneticField(Vector, Accuracy)
    case quaternion(Quaternion)
    case eulerAngles(EulerAngles)
    /// Direction and strength of gravity, in metres per second squared.
    case gravity(Vector)
    /// Acceleration without gravity, in metres per second squared.
    case linearAcceleration(Vector)
  }

  /// Accuracy of each sensor's calibration.
  public struct CalibrationState: Hashable, Sendable, BitwiseCopyable {
    public let accelerometer: Accuracy
    public let gyroscope: Accuracy
    public let magnetometer: Accuracy

    public init(accelerometer: Accuracy, gyroscope: Accuracy, magnetometer: Accuracy) {
      self.accelerometer = accelerometer
      self.gyroscope = gyroscope
      self.magnetometer = magnetometer
    }

    init(decoding packet: Span<UInt8>) throws(DecodeError) {
      try packet.require(5)
      accelerometer = try packet.accuracy(at: 2)
      gyroscope = try packet.accuracy(at: 3)
      magnetometer = try packet.accuracy(at: 4)
    }
  }

  /// Number of metres per second squared in 1 g. Used to convert gravity and linear acceleration to
  /// g.
  public static let standardGravity = 9.80665
  /// Counts per g in the corrected acceleration.
  public static let countsPerG = 1000.0
}

extension SensorFusion.Output {
  /// Decodes a notification from registers 04 to 0a. Returns `nil` for any other register.
  public init?(decoding packet: Span<UInt8>) throws(DecodeError) {
    let header = try PacketHeader(decoding: packet)
    guard header.module == .sensorFusion, !header.isRead else { return nil }
    switch header.register {
    case 0x04...0x06:
      try packet.require(15)
      let vector = try SensorFusion.Vector(decoding: packet)
      let accuracy = try packet.accuracy(at: 14)
      switch header.register {
      case 0x04: self = .correctedAcceleration(vector, accuracy)
      case 0x05: self = .correctedAngularVelocity(vector, accuracy)
      default: self = .correctedMagneticField(vector, accuracy)
      }
    case 0x07...0x08:
      try packet.require(18)
      let first = try packet.finiteFloat(at: 2)
      let second = try packet.finiteFloat(at: 6)
      let third = try packet.finiteFloat(at: 10)
      let fourth = try packet.finiteFloat(at: 14)
      self =
        header.register == 0x07
        ? .quaternion(.init(w: first, x: second, y: third, z: fourth))
        : .eulerAngles(.init(heading: first, pitch: second, roll: third, yaw: fourth))
    case 0x09...0x0a:
      try packet.require(14)
      let vector = try SensorFusion.Vector(decoding: packet)
      self = header.register == 0x09 ? .gravity(vector) : .linearAcceleration(vector)
    default: return nil
    }
  }
}

extension Span where Element == UInt8 {
  /// Decodes a little-endian IEEE 754 number. Throws for a non-finite number: the board's fusion
  /// library may produce NaN while it settles.
  func finiteFloat(at offset: Int) throws(DecodeError) -> Float {
    let value = Float(bitPattern: uint32(at: offset))
    guard value.isFinite else { throw .notFinite(at: offset) }
    return value
  }

  func accuracy(at offset: Int) throws(DecodeError) -> SensorFusion.Accuracy {
    guard let accuracy = SensorFusion.Accuracy(rawValue: self[offset]) else {
      throw .unknownCode(self[offset], at: offset)
    }
    return accuracy
  }
}
