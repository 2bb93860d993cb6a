/// An event that an accelerometer reports in addition to samples, such as motion, a tap, an
/// orientation or a step.
public enum AccelerometerEvent: Hashable, Sendable {
  /// The direction of an event along an axis.
  public enum Sign: Hashable, Sendable {
    case positive
    case negative

    init(_ isNegative: Bool) { self = isNegative ? .negative : .positive }
  }

  /// The axes on which an event occurred.
  public struct Axes: Hashable, Sendable, BitwiseCopyable {
    public let x: Bool
    public let y: Bool
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

  /// One of eight positions.
  public enum Orientation: Hashable, Sendable, CaseIterable {
    case faceUpPortraitUpright
    case faceUpPortraitUpsideDown
    /// The board lies face up and is turned left.
    case faceUpLandscapeLeft
    /// The board lies face up and is turned right.
    case faceUpLandscapeRight
    case faceDownPortraitUpright
    case faceDownPortraitUpsideDown
    /// The board lies face down and is turned left.
    case faceDownLandscapeLeft
    /// The board lies face down and is turned right.
    case faceDownLandscapeRight

    init(bosch byte: UInt8) {
      let code = Int(byte >> 1 & 3) + (byte & 8 != 0 ? 4 : 0)
      self = Self.allCases[code]
    }

    // On the MMA8452Q, left and right are swapped, and "face down" uses a different bit.
    init(mma8452q byte: UInt8) {
      let code = [0, 1, 3, 2][Int(byte >> 1 & 3)] + (byte & 1 != 0 ? 4 : 0)
      self = Self.allCases[code]
    }
  }

  /// The wearer's activity, as detected by the BMI270.
  public enum Activity: UInt8, Hashable, Sendable {
    case still = 0
    case walking = 1
    case running = 2
    case unknown = 3
  }

  /// Low or high acceleration was detected. `axes` and `sign` describe the high acceleration.
  case lowHigh(isHigh: Bool, isLow: Bool, axes: Axes, sign: Sign)
  /// The BMI160 or BMA255 detected any motion, no motion or significant motion. `axes` contains the
  /// axis on which motion was first detected.
  case motion(Motion, axes: Axes, sign: Sign)
  /// The BMI270 detected motion or the absence of motion. It does not report an axis.
  case plainMotion(Motion)
  /// The BMI160 or BMA255 detected a tap.
  case tap(isDouble: Bool, isSingle: Bool, axes: Axes, sign: Sign)
  /// The MMA8452Q detected a tap along one or more axes.
  case axisTap(isDouble: Bool, axes: Axes, signs: Signs)
  /// The MMA8452Q detected free fall or motion.
  case movement(axes: Axes, signs: Signs)
  /// The MMA8452Q detected shaking.
  case shake(axes: Axes, signs: Signs)
  case orientation(Orientation)
  /// Whether the board lies flat. Newer modules also report whether it lies face down.
  case flat(Bool, isFaceDown: Bool?)
  /// Steps were detected. The value is the number of steps, usually one.
  case stepDetected(UInt8)
  /// The number of steps since the step counter was last reset.
  case stepCount(UInt16)
  case activity(Activity)
  /// A wrist movement was detected. The packet contains a two-bit type and a code.
  case wrist(type: UInt8, code: UInt8)
  /// The temperature measured by the BMI270's own thermometer, in 1/512 °C relative to 23 °C.
  case dieTemperature(Int16)

  /// The kinds of motion that were detected.
  public struct Motion: Hashable, Sendable, BitwiseCopyable {
    /// Whether significant (sustained) motion was detected.
    public let isSignificant: Bool
    /// Whether no motion, or only slow motion, was detected.
    public let isNone: Bool
    public let isAny: Bool

    public init(isSignificant: Bool, isNone: Bool, isAny: Bool) {
      self.isSignificant = isSignificant
      self.isNone = isNone
      self.isAny = isAny
    }
  }

  /// The direction of an event along each axis.
  public struct Signs: Hashable, Sendable {
    public let x: Sign
    public let y: Sign
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

  /// Converts a `dieTemperature` event's value to degrees Celsius.
  public static func degrees(dieTemperature counts: Int16) -> Double {
    Double(counts) / 512 + 23
  }
}

extension AccelerometerEvent {
  /// Returns `nil` if the notification's register does not report events.
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

  /// Decodes the byte that reports whether the board lies flat. The meaning of its bits changed in
  /// module revision 2.
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
      // The step counter and the step detector share this register, but their notifications differ
      // in length.
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
