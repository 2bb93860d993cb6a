public import LinuxSystem
public import NMEA
public import Values

/// Where positions come from. All of them are listened to in the same way, by `ReceiverThread`.
public enum PositionSource: Hashable, Sendable {
  /// A receiver on a serial port, named by its path, a link to it or a pattern of paths.
  case serial(String, speed: SerialSpeed?)
  /// The receivers of a gpsd.
  case gpsd(GPSDAddress)
  /// The sentences in a file, as if they came now.
  case file(Replay)
  /// A place that the user named, for use where there is no sky.
  case fixed(FixedPosition)

  /// Which gpsd, and which of its receivers.
  public struct GPSDAddress: Hashable, Sendable {
    /// The port that gpsd has by convention.
    public static let usualPort: UInt16 = 2_947

    /// The host it runs on.
    public var host: String
    /// The port it listens at.
    public var port: UInt16
    /// The path of the receiver there; `nil` for all of them.
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

  /// A file of sentences and how it is read.
  public struct Replay: Hashable, Sendable {
    /// Path of the file.
    public var path: String
    /// Dates before it are taken for a wrapped week; see `WeekRollover`.
    public var floor: UTCTime
    /// Whether a fix comes as soon as it is read, rather than as long after the one before as it
    /// did then.
    public var isHurried: Bool

    /// A file that is read at the pace of its times.
    public init(
      path: String, floor: UTCTime = WeekRollover.replayFloor, isHurried: Bool = false
    ) {
      self.path = path
      self.floor = floor
      self.isHurried = isHurried
    }
  }

  /// A place that the user named.
  public struct FixedPosition: Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// Metres above mean sea level, where it was named.
    public var altitudeMSL: Double?

    /// A place on the ground, or at an altitude.
    public init(latitude: Double, longitude: Double, altitudeMSL: Double? = nil) {
      self.latitude = latitude
      self.longitude = longitude
      self.altitudeMSL = altitudeMSL
    }
  }

  /// Whether the times of its fixes tell what time it is now.
  ///
  /// Those of a file were true when it was made, and somebody who names a place does not name a
  /// time: neither may date a session.
  public var knowsTheTime: Bool {
    switch self {
    case .serial, .gpsd: true
    case .file, .fixed: false
    }
  }
}
