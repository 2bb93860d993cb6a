/// A sample's position, and the method by which it was derived from the fixes.
public struct PositionTag: BitwiseCopyable, Hashable, Sendable {
  /// The method by which a position was derived from the fixes.
  public enum Method: UInt8, BitwiseCopyable, Hashable, Sendable {
    /// The position lies on the straight line between the fixes before and after the sample.
    case interpolated
    /// The position is taken from the last fix before the sample.
    case last

    /// The method's name in tables and JSON.
    public var name: String {
      switch self {
      case .interpolated: "interpolated"
      case .last: "last"
      }
    }
  }

  /// The reason why a sample has no position.
  public enum Absence: UInt8, BitwiseCopyable, Hashable, Sendable {
    /// The session has no fixes.
    case noReceiver
    /// The receiver did not have a fix yet, or had lost its fix.
    case noFix
    /// The last fix before the sample is too old.
    case stale

    /// The reason's name in tables and JSON.
    public var name: String {
      switch self {
      case .noReceiver: "noreceiver"
      case .noFix: "nofix"
      case .stale: "stale"
      }
    }
  }

  /// Latitude in degrees; positive in the north.
  public var latitude: Double
  /// Longitude in degrees from −180 to 180; positive in the east.
  public var longitude: Double
  /// Metres above mean sea level.
  public var altitudeMSL: Double?
  /// Speed over ground at the nearer fix, in metres per second.
  public var speed: Double?
  /// Direction of movement at the nearer fix, in degrees from true north.
  public var track: Double?
  /// Quality of the nearer fix, unless only the other fix was obtained without satellites; then the
  /// quality of that fix.
  public var quality: Fix.Quality
  /// Nanoseconds since the last fix before the sample.
  public var ageNanoseconds: Int64
  /// Horizontal error in metres at 95 % confidence. With the method `last`, it grows with the age
  /// of the fix if the fix has a speed.
  public var error: Double?
  public var method: Method

  /// Seconds since the last fix before the sample.
  public var age: Double { Double(ageNanoseconds) / 1e9 }
}

/// The result of looking up the position at an instant.
public enum PositionLookup: BitwiseCopyable, Hashable, Sendable {
  case position(PositionTag)
  /// The reason why the instant has no position. A missing position is never reported as 0° 0°.
  case absent(PositionTag.Absence)

  public var position: PositionTag? {
    switch self {
    case .position(let tag): tag
    case .absent: nil
    }
  }
}
