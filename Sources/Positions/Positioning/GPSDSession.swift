public import NMEA
public import Recording
public import Values

/// Converts the bytes of a connection to gpsd to one report per epoch.
///
/// gpsd sends several `TPV` for one epoch, the first of them without time, and some that report "no
/// fix" in between. Here the time is the key: the last `TPV` with it wins. The epoch is reported
/// when another time arrives or the line pauses (`flush`). The session has neither socket nor
/// clock.
public struct GPSDSession: Sendable {
  /// An event of the session.
  public enum Event: Hashable, Sendable {
    /// gpsd greeted, with this release.
    case greeted(release: String)
    /// gpsd uses another version of the protocol, so none of its messages may be used.
    case refused(major: Int)
    /// gpsd has these receivers, or none for an empty list.
    case devices([GPSDMessage.Device])
    /// The receiver sends data.
    case deviceBack(path: String)
    /// The receiver is gone.
    case deviceLost(path: String)
    /// An epoch ended.
    case position(PositionReport)
    /// gpsd reported an error.
    case error(String)
  }

  /// The line to send after the greeting.
  public static func watch(device: String?) -> String {
    let choice =
      device.map { ",\"device\":" + JSONValue.string($0).text } ?? ""
    return "?WATCH={\"enable\":true,\"json\":true\(choice)};\r\n"
  }

  /// A `SKY` of all constellations exceeds 10 kB; gpsd sends no line longer than this.
  static let longestLine = 131_072
  /// Seconds for which a satellite report describes a fix.
  static let skyAge = 2.0

  /// This many consecutive messages without fix or time mean a lost fix even without a pause.
  static let bareDenialsOfLoss = 5

  /// Number of lines used.
  public private(set) var accepted = 0
  /// Number of lines of unused classes, except sentences and empty lines.
  public private(set) var ignored = 0
  /// Number of lines that were not JSON, or were too long.
  public private(set) var refused = 0
  /// The satellites as last reported.
  public private(set) var sky = Sky()
  /// Whether gpsd uses an unsupported version of the protocol.
  public private(set) var isRefused = false

  private let device: String?
  private var line: [UInt8] = []
  private var isOverlong = false

  private var pending: Fix?
  /// Arrival of the first message without a fix, and its time if it has one.
  private var denial: (arrival: BootTime, time: UTCTime?)?
  /// Messages without fix or time since the last fix.
  private var bareDenials = 0
  /// The last two reported epochs, so that a late message about one of them makes no second fix.
  private var reported: (UTCTime?, UTCTime?) = (nil, nil)
  private var view: (arrival: BootTime, hdop: Double?, used: UInt8?)?

  /// A session before the greeting.
  ///
  /// - Parameter device: the receiver to listen to; `nil` for all receivers of gpsd.
  public init(device: String? = nil) {
    self.device = device
  }

  /// Takes bytes that arrived at `arrival`, split anywhere, and reports the resulting events.
  public mutating func receive(
    _ bytes: Span<UInt8>, at arrival: BootTime, tell: (Event) -> Void
  ) {
    for position in bytes.indices {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\n") {
        endLine(at: arrival, tell)
      } else if line.count < Self.longestLine {
        line.append(byte)
      } else {
        isOverlong = true
      }
    }
  }

  /// Reports the epoch that is still open. Call it when the line has paused for 200 ms, or has
  /// ended.
  public mutating func flush(tell: (Event) -> Void) {
    let had = pending != nil
    publish(tell)
    if let denial {
      // In a burst with a fix, a message without time and fix belongs to an epoch that gpsd had not
      // fully decoded yet.
      if !had || denial.time != nil { tell(.position(.noFix(arrival: denial.arrival))) }
      self.denial = nil
    }
  }

  private mutating func endLine(at arrival: BootTime, _ tell: (Event) -> Void) {
    defer {
      line.removeAll(keepingCapacity: true)
      isOverlong = false
    }
    if isOverlong {
      refused += 1
      return
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    // Sentences arrive between the JSON lines when another client requested them on this
    // connection.
    guard let first = line.first, first != UInt8(ascii: "$"), first != UInt8(ascii: "!") else {
      return
    }
    guard let message = GPSDMessage(line: line) else {
      refused += 1
      return
    }
    take(message, at: arrival, tell)
  }

  /// Handles a decoded line.
  public mutating func take(
    _ message: GPSDMessage, at arrival: BootTime, _ tell: (Event) -> Void
  ) {
    if case .version(let release, let major, _) = message {
      accepted += 1
      isRefused = major != 3
      tell(isRefused ? .refused(major: major) : .greeted(release: release))
      return
    }
    guard !isRefused else { return }
    switch message {
    case .version, .other:
      ignored += 1
      return
    case .devices(let devices):
      tell(.devices(devices))
    case .device(let found) where concerns(found.path):
      if !found.isActive { flush(tell: tell) }
      tell(found.isActive ? .deviceBack(path: found.path) : .deviceLost(path: found.path))
    case .position(let position) where concerns(position.device):
      take(position, at: arrival, tell)
    case .sky(let sky) where concerns(sky.device):
      view = (arrival, sky.hdop, sky.used.flatMap { UInt8(exactly: $0) })
      if let satellites = sky.satellites {
        self.sky = Sky(arrival: arrival, satellites: satellites)
      }
    case .error(let text):
      tell(.error(text))
    case .device, .position, .sky:
      ignored += 1
      return
    }
    accepted += 1
  }

  private func concerns(_ path: String?) -> Bool {
    guard let device, let path else { return true }
    return device == path
  }

  private mutating func take(
    _ position: GPSDMessage.Position, at arrival: BootTime, _ tell: (Event) -> Void
  ) {
    guard position.mode >= 2 else {
      deny(position.time, at: arrival, tell)
      return
    }
    guard let time = position.time, let latitude = position.latitude,
      let longitude = position.longitude, time != reported.0, time != reported.1
    else { return }
    if let pending, pending.utc != time { publish(tell) }
    // The message without a fix belonged to this epoch, before gpsd had received all of it, or to
    // an epoch that has ended by now.
    if let denial, let denied = denial.time, denied != time {
      tell(.position(.noFix(arrival: denial.arrival)))
    }
    denial = nil
    bareDenials = 0
    var fix = Fix(
      arrival: pending?.arrival ?? arrival, utc: time, latitude: latitude, longitude: longitude,
      altitudeMSL: position.meanSeaLevelAltitude, geoidSeparation: position.geoid,
      speed: position.speed, track: position.track, isThreeDimensional: position.mode == 3,
      quality: position.quality,
      error: position.horizontalError.map {
        Fix.ErrorEstimate(horizontal: $0, vertical: position.verticalError, basis: .daemon)
      })
    fix.ownAltitudeHAE = position.otherHAE(than: fix.altitudeHAE)
    if let view, arrival.seconds(since: view.arrival) <= Self.skyAge {
      fix.hdop = view.hdop
      fix.satellites = view.used
    }
    pending = fix
  }

  private mutating func deny(
    _ time: UTCTime?, at arrival: BootTime, _ tell: (Event) -> Void
  ) {
    if let time {
      guard time != pending?.utc, time != reported.0, time != reported.1 else { return }
      publish(tell)
      if let denial, denial.time != time { tell(.position(.noFix(arrival: denial.arrival))) }
      denial = (denial?.time == time ? denial?.arrival ?? arrival : arrival, time)
    } else {
      bareDenials += 1
      denial = denial ?? (arrival, nil)
      // Some arrive in the middle of an epoch with a fix, but not this many. A receiver of ten
      // epochs a second leaves no pause that would show it.
      guard bareDenials >= Self.bareDenialsOfLoss, let first = denial?.arrival else { return }
      publish(tell)
      tell(.position(.noFix(arrival: first)))
      denial = nil
    }
  }

  private mutating func publish(_ tell: (Event) -> Void) {
    guard let fix = pending else { return }
    pending = nil
    reported = (fix.utc, reported.0)
    tell(.position(.fix(fix)))
  }
}

extension GPSDMessage.Position {
  /// gpsd sometimes omits one of the three heights; any two give the third.
  fileprivate var meanSeaLevelAltitude: Double? {
    if let altitudeMSL { return altitudeMSL }
    guard let altitudeHAE, let geoidSeparation else { return nil }
    return altitudeHAE - geoidSeparation
  }

  /// gpsd's own height above the ellipsoid, if it differs from the sum of the others.
  fileprivate func otherHAE(than sum: Double?) -> Double? {
    guard let altitudeHAE, let sum, abs(altitudeHAE - sum) < Self.roundingError else {
      return altitudeHAE
    }
    return nil
  }

  /// gpsd rounds each height to a millimetre or more.
  private static let roundingError = 0.0005

  fileprivate var geoid: Double? {
    if let geoidSeparation { return geoidSeparation }
    guard let altitudeHAE, let altitudeMSL else { return nil }
    return altitudeHAE - altitudeMSL
  }

  fileprivate var quality: Fix.Quality {
    switch status {
    case 2: .differential
    case 3: .realTimeKinematic
    case 4: .floatRealTimeKinematic
    case 5: .estimated
    case 7: .manual
    case 8: .simulated
    case 9: .precise
    // 6 is assisted by dead reckoning, but still measured.
    default: .autonomous
    }
  }
}
