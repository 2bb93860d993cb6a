public import NMEA
public import Recording
public import Values

/// What a connection to gpsd has brought, from its bytes to one report an epoch.
///
/// gpsd sends several `TPV` for one epoch, the first of them without time, and some that say "no
/// fix" in between. Here the time is the key: the last one with it wins, and the epoch is reported
/// when another time comes or the line pauses (`flush`). It has neither socket nor clock of its
/// own.
public struct GPSDSession: Sendable {
  /// What happened.
  public enum Event: Hashable, Sendable {
    /// gpsd greeted; it is of this release.
    case greeted(release: String)
    /// gpsd speaks another version of the protocol, and nothing it says may be used.
    case refused(major: Int)
    /// gpsd has these receivers; with an empty list it has none.
    case devices([GPSDMessage.Device])
    /// The receiver is heard.
    case deviceBack(path: String)
    /// The receiver is gone.
    case deviceLost(path: String)
    /// An epoch ended.
    case position(PositionReport)
    /// gpsd complained.
    case error(String)
  }

  /// The line to send after the greeting.
  public static func watch(device: String?) -> String {
    let choice =
      device.map { ",\"device\":" + JSONValue.string($0).text } ?? ""
    return "?WATCH={\"enable\":true,\"json\":true\(choice)};\r\n"
  }

  /// A `SKY` of all constellations passes 10 kB; what is longer than this is no line of gpsd.
  static let longestLine = 131_072
  /// A word on satellites describes a fix for so long, seconds.
  static let skyAge = 2.0

  /// So many words without fix or time in a row are a lost fix also without a pause.
  static let bareDenialsOfLoss = 5

  /// Lines that were used.
  public private(set) var accepted = 0
  /// Lines of classes that are not for us, sentences and empty lines not counted.
  public private(set) var ignored = 0
  /// Lines that were no JSON, or too long.
  public private(set) var refused = 0
  /// The satellites as they were told last.
  public private(set) var sky = Sky()
  /// Whether gpsd speaks a version of the protocol that we do not.
  public private(set) var isRefused = false

  private let device: String?
  private var line: [UInt8] = []
  private var isOverlong = false

  private var pending: Fix?
  /// Arrival of the first word that there is no fix, and the time it speaks of if it says.
  private var denial: (arrival: BootTime, time: UTCTime?)?
  /// Words without fix or time since the last fix.
  private var bareDenials = 0
  /// The epochs reported last, so that a late word on one of them makes no second fix.
  private var reported: (UTCTime?, UTCTime?) = (nil, nil)
  private var view: (arrival: BootTime, hdop: Double?, used: UInt8?)?

  /// A session that has yet to be greeted.
  ///
  /// - Parameter device: the receiver to listen to; `nil` for whatever gpsd has.
  public init(device: String? = nil) {
    self.device = device
  }

  /// Takes bytes that arrived at `arrival`, cut anywhere, and tells what they bring about.
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

  /// Reports the epoch that is still open. To be called when the line has paused for 200 ms, or
  /// has ended.
  public mutating func flush(tell: (Event) -> Void) {
    let had = pending != nil
    publish(tell)
    if let denial {
      // In a burst with a fix, a word without one belongs to an epoch gpsd had yet to understand.
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
    // Sentences come between the JSON lines when another client asked for them on this connection.
    guard let first = line.first, first != UInt8(ascii: "$"), first != UInt8(ascii: "!") else {
      return
    }
    guard let message = GPSDMessage(line: line) else {
      refused += 1
      return
    }
    take(message, at: arrival, tell)
  }

  /// Takes a line that was read already.
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
    // What said "no fix" was of this epoch before gpsd had heard all of it, or is of one that
    // ended by now.
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
      // Some stand in the middle of an epoch with a fix, but not so many; and a receiver of ten
      // epochs a second leaves no pause to tell by.
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
  /// gpsd leaves one of the three heights out now and then; any two give it.
  fileprivate var meanSeaLevelAltitude: Double? {
    if let altitudeMSL { return altitudeMSL }
    guard let altitudeHAE, let geoidSeparation else { return nil }
    return altitudeHAE - geoidSeparation
  }

  /// gpsd's own height above the ellipsoid, where the sum of the others differs from it.
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
    // 6 is helped by dead reckoning, and still measured.
    default: .autonomous
    }
  }
}
