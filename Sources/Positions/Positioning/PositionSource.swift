public import LinuxSystem
public import NMEA
public import Values

/// The source of positions. `ReceiverThread` listens to all kinds in the same way.
public enum PositionSource: Hashable, Sendable {
  /// A receiver on a serial port, named by its path, a link to it or a pattern of paths.
  case serial(String, speed: SerialSpeed?)
  /// The receivers of a gpsd.
  case gpsd(GPSDAddress)
  /// The sentences in a file, replayed as if they arrived now.
  case file(Replay)
  /// A place named by the user, for use indoors.
  case fixed(FixedPosition)

  /// The address of a gpsd, and the choice of its receivers.
  public struct GPSDAddress: Hashable, Sendable {
    /// The usual port of gpsd.
    public static let usualPort: UInt16 = 2_947

    /// The host it runs on.
    public var host: String
    /// The port it listens on.
    public var port: UInt16
    /// The path of the receiver there; `nil` for all receivers.
    public var device: String?

    /// The gpsd of this computer, unless another is named.
    public init(
      host: String = "localhost", port: UInt16 = usualPort, device: String? = nil
    ) {
      self.host = host
      self.port = port
      self.device = device
    }
  }

  /// A file of sentences and the way it is replayed.
  public struct Replay: Hashable, Sendable {
    /// Path of the file.
    public var path: String
    /// Dates before it count as a wrapped week; see `WeekRollover`.
    public var floor: UTCTime
    /// Whether a fix arrives as soon as it is read, instead of at the pace of the recorded times.
    public var isHurried: Bool

    /// A file, replayed by default at the pace of its times.
    public init(
      path: String, floor: UTCTime = WeekRollover.replayFloor, isHurried: Bool = false
    ) {
      self.path = path
      self.floor = floor
      self.isHurried = isHurried
    }
  }

  /// A place named by the user.
  public struct FixedPosition: Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// Metres above mean sea level, if given.
    public var altitudeMSL: Double?

    /// A place on the ground, or at an altitude.
    public init(latitude: Double, longitude: Double, altitudeMSL: Double? = nil) {
      self.latitude = latitude
      self.longitude = longitude
      self.altitudeMSL = altitudeMSL
    }
  }

  /// Whether the times of its fixes are the present time.
  ///
  /// A file's times were true when it was recorded, and a user who names a place names no time:
  /// neither may date a session.
  public var knowsTheTime: Bool {
    switch self {
    case .serial, .gpsd: true
    case .file, .fixed: false
    }
  }
}
