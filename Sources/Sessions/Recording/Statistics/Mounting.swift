internal import Glibc
internal import Values

/// The way in which a board is attached to a limb, in the board's axes. Determined from a few
/// strides of a walk.
public struct Mounting: Hashable, Sendable {
  /// The upward direction, averaged over the strides. A unit vector.
  public var up: SIMD3<Double>
  /// The axis about which the limb swings. A unit vector. The sign depends only on the movement, so
  /// the axis points to the same side of the body however the board is attached. `nil` if the
  /// movement does not determine the sign.
  public var swing: SIMD3<Double>?
  /// The roll of the limb about its direction of travel, in equal parts of a stride that begin with
  /// the fastest swing. Measured in multiples of the root mean square of the swing. Left and right
  /// legs roll in opposite directions. Empty if `swing` is `nil`.
  public var roll: [Double]
  /// Whether the limb rests during each stride, as only a foot does.
  public var isFoot: Bool
  /// The mean angle in degrees between the board's orientation in a stride and its mean
  /// orientation.
  public var looseness: Double

  /// The number of parts into which `roll` divides a stride.
  static let parts = 16
  /// The looseness in degrees above which a board is considered loose. Firmly attached boards reach
  /// 7 degrees when the wearer walks round a bend.
  public static let loose = 10.0

  public init(
    up: SIMD3<Double>, swing: SIMD3<Double>? = nil, roll: [Double] = [], isFoot: Bool = false,
    looseness: Double = 0
  ) {
    self.up = up
    self.swing = swing
    self.roll = roll
    self.isFoot = isFoot
    self.looseness = looseness
  }

  public var isLoose: Bool { looseness > Self.loose }

  /// Returns the angle in degrees between this mounting and another one of the same board. If the
  /// swing axis of either is unknown, only the tilt is compared.
  public func angle(to other: Mounting) -> Double {
    guard let frame, let otherFrame = other.frame else { return tilt(to: other) }
    // The trace of the rotation from one frame to the other determines its angle.
    let trace = zip(frame, otherFrame).reduce(0) { $0 + ($1.0 * $1.1).sum() }
    return Self.degrees(cosine: (trace - 1) / 2)
  }

  /// Returns the angle in degrees between the upward directions of two mountings.
  public func tilt(to other: Mounting) -> Double { Self.degrees(cosine: (up * other.up).sum()) }

  static func degrees(cosine: Double) -> Double { acos(max(-1, min(1, cosine))) * 180 / .pi }

  /// Three perpendicular axes of the limb: the swing axis, the direction of travel, and the part of
  /// the upward direction that is perpendicular to the swing axis. `nil` if the swing axis is
  /// unknown or vertical.
  private var frame: [SIMD3<Double>]? {
    guard let swing, let rest = (up - swing * (up * swing).sum()).unit else { return nil }
    return [swing, rest.cross(swing), rest]
  }
}

/// A mounting as an event's text.
extension Mounting {
  /// The mounting as text, without the looseness.
  public var text: String {
    var parts = ["up \(Self.text([up.x, up.y, up.z]))"]
    if let swing { parts.append("swing \(Self.text([swing.x, swing.y, swing.z]))") }
    if isFoot { parts.append("foot") }
    if !roll.isEmpty { parts.append("roll \(Self.text(roll))") }
    return parts.joined(separator: "; ")
  }

  /// Returns `nil` if the text does not describe a mounting.
  public init?(text: String, looseness: Double) {
    var numbers: [Substring: [Double]] = [:]
    for part in text.split(separator: ";") {
      let words = part.split(separator: " ")
      guard let name = words.first else { return nil }
      numbers[name] = words.dropFirst().compactMap { Double($0) }.filter(\.isFinite)
    }
    func axis(_ name: Substring) -> SIMD3<Double>? {
      guard let values = numbers[name], values.count == 3 else { return nil }
      return SIMD3(values[0], values[1], values[2]).unit
    }
    guard let up = axis("up") else { return nil }
    let swing = axis("swing")
    let roll = numbers["roll"] ?? []
    guard roll.isEmpty || roll.count == Self.parts && swing != nil else { return nil }
    self.init(
      up: up, swing: swing, roll: roll, isFoot: numbers["foot"] != nil, looseness: looseness)
  }

  private static func text(_ values: [Double]) -> String {
    values.map { NumberText.fixed($0, decimals: 2) }.joined(separator: " ")
  }
}

extension SIMD3<Double> {
  /// The unit vector in this direction, or `nil` for a vector that is almost zero.
  var unit: SIMD3<Double>? {
    let length = (self * self).sum().squareRoot()
    return length > 1e-6 ? self / length : nil
  }

  func cross(_ other: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }
}
