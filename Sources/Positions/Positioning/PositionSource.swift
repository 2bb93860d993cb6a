public import LinuxSystem
public import NMEA
public import Values

/// The position source that the user chose. `ReceiverThread` handles all kinds of source in the
/// same way.
public enum PositionSource: Hashable, Sendable {
  /// A receiver on a serial port. The port is specified by its path, by a link to it or by a
  /// pattern of paths.
  case serial(String, speed: SerialSpeed?)
  /// One or all of the receivers that a gpsd serves.
  case gpsd(GPSDAddress)
  /// The sentences in a file, replayed as if they were arriving now.
  case file(Replay)
  /// A position entered by the user, for use indoors.
  case fixed(FixedPosition)

  /// The address of a gpsd, and optionally one of its receivers.
  public struct GPSDAddress: Hashable, Sendable {
    public static let usualPort: UInt16 = 2_947

    public var host: String
    public var port: UInt16
    /// The receiver's path on that host, or `nil` for all receivers.
    public var device: String?

    /// By default, refers to all receivers of the local gpsd.
    public init(
      host: String = "localhost", port: UInt16 = usualPort, device: String? = nil
    ) {
      self.host = host
      self.port = port
      self.device = device
    }
  }

  /// A file of sentences and how to replay it.
  public struct Replay: Hashable, Sendable {
    public var path: String
    /// Earlier dates are treated as a GPS week rollover; see `WeekRollover`.
    public var floor: UTCTime
    /// Whether fixes are delivered as soon as they are read, instead of at the recorded pace.
    public var isHurried: Bool

    public init(
      path: String, floor: UTCTime = WeekRollover.replayFloor, isHurried: Bool = false
    ) {
      self.path = path
      self.floor = floor
      self.isHurried = isHurried
    }
  }

  /// A position entered by the user.
  public struct FixedPosition: Hashable, Sendable {
    /// Degrees north of the equator.
    public var latitude: Double
    /// Degrees east of Greenwich.
    public var longitude: Double
    /// Altitude above mean sea level in metres, or `nil` if the user did not enter it.
    public var altitudeMSL: Double?

    public init(latitude: Double, longitude: Double, altitudeMSL: Double? = nil) {
      self.latitude = latitude
      self.longitude = longitude
      self.altitudeMSL = altitudeMSL
    }
  }

  /// Whether the source's fixes contain the current time.
  ///
  /// The times in a file were correct when it was recorded, and a position entered by the user has
  /// no time. Neither source may therefore be used to date a session.
  public var knowsTheTime: Bool {
    switch self {
    case .serial, .gpsd: true
    case .file, .fixed: false
    }
  }
}
