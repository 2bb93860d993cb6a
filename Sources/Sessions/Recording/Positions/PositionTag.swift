/// The position of a sample, and its derivation.
public struct PositionTag: BitwiseCopyable, Hashable, Sendable {
  /// The derivation of a position from the fixes.
  public enum Method: UInt8, BitwiseCopyable, Hashable, Sendable {
    /// On the straight line between the fixes before and after the sample.
    case interpolated
    /// The last fix before the sample.
    case last

    /// One word for tables and JSON.
    public var name: String {
      switch self {
      case .interpolated: "interpolated"
      case .last: "last"
      }
    }
  }

  /// The reason why a sample has no position.
  public enum Absence: UInt8, BitwiseCopyable, Hashable, Sendable {
    /// The session has no fix at all.
    case noReceiver
    /// The receiver had no fix yet, or had lost it.
    case noFix
    /// The last fix is too old.
    case stale

    /// One word for tables and JSON.
    public var name: String {
      switch self {
      case .noReceiver: "noreceiver"
      case .noFix: "nofix"
      case .stale: "stale"
      }
    }
  }

  /// Degrees north.
  public var latitude: Double
  /// Degrees east, from -180 to 180.
  public var longitude: Double
  /// Metres above mean sea level.
  public var altitudeMSL: Double?
  /// Metres per second over ground, of the nearer fix.
  public var speed: Double?
  /// Direction of movement of the nearer fix, degrees from true north.
  public var track: Double?
  /// Quality of the nearer fix, except that a fix without satellites overrides a plain one.
  public var quality: Fix.Quality
  /// Nanoseconds since the last fix before the sample.
  public var ageNanoseconds: Int64
  /// Horizontal error in metres, not exceeded with 95 % confidence; it grows with the age of the
  /// last fix.
  public var error: Double?
  public var method: Method

  /// Seconds since the last fix before the sample.
  public var age: Double { Double(ageNanoseconds) / 1e9 }
}

/// The track's answer for an instant.
public enum PositionLookup: BitwiseCopyable, Hashable, Sendable {
  case position(PositionTag)
  /// No position, and the reason: never 0° 0°.
  case absent(PositionTag.Absence)

  /// The position, if there is one.
  public var position: PositionTag? {
    switch self {
    case .position(let tag): tag
    case .absent: nil
    }
  }
}
