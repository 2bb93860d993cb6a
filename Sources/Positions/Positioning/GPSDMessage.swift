public import NMEA
public import Values

/// A line received from gpsd, reduced to the values that the program uses.
public enum GPSDMessage: Hashable, Sendable {
  /// The greeting: gpsd's release and its protocol version.
  case version(release: String, major: Int, minor: Int)
  /// gpsd's list of receivers, which may be empty.
  case devices([Device])
  /// A receiver was added or removed.
  case device(Device)
  /// Time, position and velocity.
  case position(Position)
  case sky(SkyView)
  /// gpsd rejected a request.
  case error(String)
  /// The message has a class that the program does not use.
  case other

  /// A receiver that gpsd serves.
  public struct Device: Hashable, Sendable {
    /// The receiver's port, such as `/dev/ttyUSB0`.
    public var path: String
    /// Whether gpsd is receiving data from the receiver.
    public var isActive: Bool
    /// The receiver's protocol, such as `NMEA0183`.
    public var driver: String?
    /// Line speed of the receiver's port in bits per second.
    public var speed: Int?
    /// Seconds between the receiver's fixes.
    public var cycle: Double?
  }

  /// A `TPV` message, which contains what gpsd currently knows about an epoch. Several messages may
  /// arrive for one epoch.
  public struct Position: Hashable, Sendable {
    /// Path of the receiver that reported the position.
    public var device: String?
    /// The fix mode: 0 means unknown, 1 no fix, 2 a fix without altitude, 3 a fix with altitude.
    public var mode: Int
    public var time: UTCTime?
    /// Degrees north of the equator.
    public var latitude: Double?
    /// Degrees east of Greenwich.
    public var longitude: Double?
    /// Altitude above mean sea level, in metres.
    public var altitudeMSL: Double?
    /// Altitude above the ellipsoid, in metres.
    public var altitudeHAE: Double?
    /// Height of the geoid above the ellipsoid, in metres.
    public var geoidSeparation: Double?
    /// Speed over ground in metres per second.
    public var speed: Double?
    /// Course over ground in degrees from true north.
    public var track: Double?
    /// Horizontal error in metres at 95 % probability.
    public var horizontalError: Double?
    /// Vertical error in metres at 95 % probability.
    public var verticalError: Double?
    /// gpsd's code for the position's quality, or `nil` if gpsd does not report it.
    public var status: Int?
  }

  /// A `SKY` message, with or without a list of satellites.
  public struct SkyView: Hashable, Sendable {
    /// Path of the receiver that reported the satellites.
    public var device: String?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Number of satellites used in the solution.
    public var used: Int?
    /// The satellites, or `nil` if the message omits them.
    public var satellites: [Satellite]?
  }

  /// Parses a line without its line end. Returns `nil` for a line that is not a JSON object, such
  /// as an NMEA sentence, which gpsd also sends if a client requests sentences.
  public init?(line: [UInt8]) {
    guard line.first == UInt8(ascii: "{"),
      let json = try? JSON(parsing: line), let wire = GPSDWire(json)
    else { return nil }
    self.init(wire)
  }

  private init(_ wire: GPSDWire) {
    switch wire.name {
    case "VERSION":
      self = .version(
        release: wire["release"]?.text ?? "unknown", major: wire["proto_major"]?.rounded ?? 0,
        minor: wire["proto_minor"]?.rounded ?? 0)
    case "DEVICES": self = .devices((wire["devices"]?.list ?? []).compactMap(Device.init))
    case "DEVICE": self = Device(.object(wire.members)).map { .device($0) } ?? .other
    case "TPV": self = .position(Position(wire))
    case "SKY": self = .sky(SkyView(wire))
    case "ERROR": self = .error(wire["message"]?.text ?? "unspecified error")
    default: self = .other
    }
  }
}

extension GPSDMessage.Device {
  fileprivate init?(_ value: JSON) {
    guard let path = value["path"]?.text else { return nil }
    self.path = path
    // gpsd sends the activation time of an active receiver. Otherwise the value is 0 or missing.
    switch value["activated"] {
    case .text(let text): isActive = !text.isEmpty
    case .number(let number): isActive = number != 0
    default: isActive = false
    }
    driver = value["driver"]?.text
    speed = value["bps"]?.rounded
    cycle = value["cycle"]?.number
  }
}

extension GPSDMessage.Position {
  fileprivate init(_ wire: GPSDWire) {
    device = wire["device"]?.text
    mode = wire["mode"]?.rounded ?? 0
    time = wire["time"]?.text.flatMap { UTCTime(iso8601: $0) }
    latitude = wire.number("lat", in: -90...90)
    longitude = wire.number("lon", in: -180...180)
    altitudeMSL = wire.number("altMSL", in: -2_000...100_000)
    altitudeHAE = wire.number("altHAE", in: -2_000...100_000)
    geoidSeparation = wire.number("geoidSep", in: -200...200)
    if altitudeMSL == nil, altitudeHAE == nil {
      // Releases before 3.20 had a single altitude, usually above mean sea level.
      altitudeMSL = wire.number("alt", in: -2_000...100_000)
    }
    speed = wire.number("speed", in: 0...10_000)
    track = wire.number("track", in: 0...360).map { $0 == 360 ? 0 : $0 }
    horizontalError = wire.number("eph", in: 0...1e6)
    if horizontalError == nil, let east = wire.number("epx", in: 0...1e6),
      let north = wire.number("epy", in: 0...1e6)
    {
      horizontalError = (east * east + north * north).squareRoot()
    }
    verticalError = wire.number("epv", in: 0...1e6)
    status = wire["status"]?.rounded
  }
}

extension GPSDMessage.SkyView {
  fileprivate init(_ wire: GPSDWire) {
    device = wire["device"]?.text
    hdop = wire["hdop"]?.number.flatMap { $0 > 0 && $0 < 50 ? $0 : nil }
    satellites = wire["satellites"]?.list?.compactMap(Satellite.init)
    used = wire["uSat"]?.rounded ?? satellites?.count { $0.isUsed }
  }
}

extension Satellite {
  fileprivate init?(_ value: JSON) {
    guard let number = value["PRN"]?.rounded else { return nil }
    let systems: [Int: System] = [
      0: .gps, 1: .sbas, 2: .galileo, 3: .beidou, 5: .qzss, 6: .glonass, 7: .navic,
    ]
    self.init(
      system: value["gnssid"]?.rounded.flatMap { systems[$0] } ?? .unknown, number: number,
      elevation: value["el"]?.rounded, azimuth: value["az"]?.rounded,
      // gpsd reports 0 for a satellite without a signal.
      signal: value["ss"]?.rounded.flatMap { $0 > 0 ? $0 : nil },
      isUsed: value["used"] == .bool(true))
  }
}
