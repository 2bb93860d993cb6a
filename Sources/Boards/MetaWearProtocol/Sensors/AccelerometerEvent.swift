/// Events of an accelerometer besides its samples: motion, taps, orientation, steps.
public enum AccelerometerEvent: Hashable, Sendable {
  /// A direction along an axis.
  public enum Sign: Hashable, Sendable {
    /// Towards larger values.
    case positive
    /// Towards smaller values.
    case negative

    init(_ isNegative: Bool) { self = isNegative ? .negative : .positive }
  }

  /// One flag for each axis.
  public struct Axes: Hashable, Sendable, BitwiseCopyable {
    /// The first axis.
    public let x: Bool
    /// The second axis.
    public let y: Bool
    /// The third axis.
    public let z: Bool

    public init(x: Bool, y: Bool, z: Bool) {
      self.x = x
      self.y = y
      self.z = z
    }

    init(_ byte: UInt8, from bit: UInt8, spacing: UInt8 = 1) {
      x = byte >> bit & 1 != 0
      y = byte >> (bit + spacing) & 1 != 0
      z = byte >> (bit + 2 * spacing) & 1 != 0
    }
  }

  /// Orientation of the board: one of eight positions.
  public enum Orientation: Hashable, Sendable, CaseIterable {
    case faceUpPortraitUpright
    case faceUpPortraitUpsideDown
    /// Face up, turned left.
    case faceUpLandscapeLeft
    /// Face up, turned right.
    case faceUpLandscapeRight
    case faceDownPortraitUpright
    case faceDownPortraitUpsideDown
    /// Face down, turned left.
    case faceDownLandscapeLeft
    /// Face down, turned right.
    case faceDownLandscapeRight

    init(bosch byte: UInt8) {
      let code = Int(byte >> 1 & 3) + (byte & 8 != 0 ? 4 : 0)
      self = Self.allCases[code]
    }

    // Left and right are exchanged on this chip, and "face down" has another bit.
    init(mma8452q byte: UInt8) {
      let code = [0, 1, 3, 2][Int(byte >> 1 & 3)] + (byte & 1 != 0 ? 4 : 0)
      self = Self.allCases[code]
    }
  }

  /// The wearer's activity, as detected by the BMI270.
  public enum Activity: UInt8, Hashable, Sendable {
    /// Standing still.
    case still = 0
    case walking = 1
    case running = 2
    case unknown = 3
  }

  /// Low or high acceleration; the axes and the sign belong to the high one.
  case lowHigh(isHigh: Bool, isLow: Bool, axes: Axes, sign: Sign)
  /// Any, no or significant motion on the BMI160 and BMA255, with the axis that moved first.
  case motion(Motion, axes: Axes, sign: Sign)
  /// Motion on the BMI270, which reports no axis.
  case plainMotion(Motion)
  /// A tap, on the BMI160 and BMA255.
  case tap(isDouble: Bool, isSingle: Bool, axes: Axes, sign: Sign)
  /// A tap along axes, on the MMA8452Q.
  case axisTap(isDouble: Bool, axes: Axes, signs: Signs)
  /// Free fall or motion, on the MMA8452Q.
  case movement(axes: Axes, signs: Signs)
  /// Shaking, on the MMA8452Q.
  case shake(axes: Axes, signs: Signs)
  case orientation(Orientation)
  /// Flat or not; newer modules also report which side is up.
  case flat(Bool, isFaceDown: Bool?)
  /// A number of steps, mostly one.
  case stepDetected(UInt8)
  /// Number of steps since the counter was set to 0.
  case stepCount(UInt16)
  case activity(Activity)
  /// A movement of the wrist: two bits of type and a code.
  case wrist(type: UInt8, code: UInt8)
  /// The BMI270's own thermometer, in 512ths of a degree above 23 °C.
  case dieTemperature(Int16)

  /// The kinds of motion, three flags.
  public struct Motion: Hashable, Sendable, BitwiseCopyable {
    /// Significant (lasting) motion.
    public let isSignificant: Bool
    /// No or slow motion.
    public let isNone: Bool
    /// Any motion.
    public let isAny: Bool

    public init(isSignificant: Bool, isNone: Bool, isAny: Bool) {
      self.isSignificant = isSignificant
      self.isNone = isNone
      self.isAny = isAny
    }
  }

  /// A direction for each axis.
  public struct Signs: Hashable, Sendable {
    /// Along the first axis.
    public let x: Sign
    /// Along the second axis.
    public let y: Sign
    /// Along the third axis.
    public let z: Sign

    public init(x: Sign, y: Sign, z: Sign) {
      self.x = x
      self.y = y
      self.z = z
    }

    init(_ negative: Axes) {
      self.init(x: Sign(negative.x), y: Sign(negative.y), z: Sign(negative.z))
    }
  }

  /// Degrees Celsius of `dieTemperature`.
  public static func degrees(dieTemperature counts: Int16) -> Double {
    Double(counts) / 512 + 23
  }
}

extension AccelerometerEvent {
  /// Reads a notification of this accelerometer; `nil` if its register has no such event.
  init?(
    decoding packet: Span<UInt8>, _ header: PacketHeader, from sensor: Accelerometer
  ) throws(DecodeError) {
    switch sensor.chip {
    case .bmi160, .bma255:
      try self.init(bosch: packet, header, revision: sensor.revision)
    case .bmi270: try self.init(bmi270: packet, header)
    case .mma8452q: try self.init(mma8452q: packet, header)
    }
  }

  private init?(
    bosch packet: Span<UInt8>, _ header: PacketHeader, revision: UInt8
  ) throws(DecodeError) {
    switch (header.register, header.isRead) {
    case (0x08, false):
      let byte = try packet.byte(at: 2)
      self = .lowHigh(
        isHigh: byte & 1 != 0, isLow: byte & 2 != 0, axes: Axes(byte, from: 2),
        sign: Sign(byte & 0x20 != 0))
    case (0x0b, false):
      let byte = try packet.byte(at: 2)
      self = .motion(
        Motion(isSignificant: byte & 1 != 0, isNone: byte & 4 != 0, isAny: byte & 2 != 0),
        axes: Axes(byte, from: 3), sign: Sign(byte & 0x40 != 0))
    case (0x0e, false):
      let byte = try packet.byte(at: 2)
      self = .tap(
        isDouble: byte & 1 != 0, isSingle: byte & 2 != 0, axes: Axes(byte, from: 2),
        sign: Sign(byte & 0x20 != 0))
    case (0x11, false): self = .orientation(Orientation(bosch: try packet.byte(at: 2)))
    case (0x14, false): self = .flat(byte: try packet.byte(at: 2), revision: revision)
    case (0x19, false): self = .stepDetected(try packet.byte(at: 2))
    case (0x1a, true):
      try packet.require(4)
      self = .stepCount(packet.uint16(at: 2))
    default: return nil
    }
  }

  /// Flatness from its byte, whose bits moved with module revision 2.
  public static func flat(byte: UInt8, revision: UInt8) -> AccelerometerEvent {
    revision >= 2
      ? .flat(byte & 4 != 0, isFaceDown: byte & 2 != 0) : .flat(byte & 2 != 0, isFaceDown: nil)
  }

  private init?(bmi270 packet: Span<UInt8>, _ header: PacketHeader) throws(DecodeError) {
    switch (header.register, header.isRead) {
    case (0x09, false):
      let byte = try packet.byte(at: 2)
      self = .plainMotion(
        Motion(isSignificant: byte & 1 != 0, isNone: byte & 2 != 0, isAny: byte & 4 != 0))
    case (0x0a, false):
      let byte = try packet.byte(at: 2)
      self = .wrist(type: byte & 3, code: byte >> 2)
    case (0x0b, false):
      // Counter and detector share this register but differ in length.
      let byte = try packet.byte(at: 2)
      self = packet.count > 3 ? .stepCount(packet.uint16(at: 2)) : .stepDetected(byte)
    case (0x0b, true):
      try packet.require(4)
      self = .stepCount(packet.uint16(at: 2))
    case (0x0c, false):
      self = .activity(Activity(rawValue: try packet.byte(at: 2) >> 1 & 3) ?? .unknown)
    case (0x0f, true):
      try packet.require(4)
      self = .dieTemperature(packet.int16(at: 2))
    default: return nil
    }
  }

  private init?(mma8452q packet: Span<UInt8>, _ header: PacketHeader) throws(DecodeError) {
    guard !header.isRead else { return nil }
    switch header.register {
    case 0x07, 0x10:
      let byte = try packet.byte(at: 2)
      let axes = Axes(byte, from: 1, spacing: 2)
      let signs = Signs(Axes(byte, from: 0, spacing: 2))
      self =
        header.register == 0x07
        ? .movement(axes: axes, signs: signs) : .shake(axes: axes, signs: signs)
    case 0x0a: self = .orientation(Orientation(mma8452q: try packet.byte(at: 2)))
    case 0x0d:
      let byte = try packet.byte(at: 2)
      self = .axisTap(
        isDouble: byte & 8 != 0, axes: Axes(byte, from: 4), signs: Signs(Axes(byte, from: 0)))
    default: return nil
    }
  }
}
