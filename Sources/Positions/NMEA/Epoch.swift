internal import Recording
internal import Values

/// Collects the data from all sentences of one epoch.
struct Epoch: Sendable {
  /// Time of the first sentence that contains one.
  private(set) var time: TimeOfDay?
  private(set) var ending: CycleEnding.Sentence?
  private(set) var kinds = KindSet()
  private var arrival: BootTime?
  private var counts = InlineArray<12, UInt8>(repeating: 0)

  private var rmc: ParsedSentence.RMC?
  private var gga: ParsedSentence.GGA?
  private var gns: ParsedSentence.GNS?
  private var gll: ParsedSentence.GLL?
  private var vtg: ParsedSentence.VTG?
  private var zda: ParsedSentence.ZDA?
  private var ublox: ParsedSentence.UbloxPosition?
  private var ubloxDate: UTCTime?
  private var stated: StatedError?
  private var hdop: Double?
  private var vdop: Double?
  private var mode: ParsedSentence.GSA.Mode?
  private var lists = SatelliteLists()
  private var isDenied = false

  func contains(_ kind: ParsedSentence.Kind) -> Bool { kinds.contains(kind) }

  /// Adds a sentence of this epoch. When several talkers send the same position, the first one is
  /// used.
  mutating func add(
    _ sentence: ParsedSentence, of kind: ParsedSentence.Kind, at arrival: BootTime
  ) {
    note(kind)
    // A sentence without a time does not set the arrival time. If it arrives before the first
    // sentence with a time, it may belong to the previous cycle.
    if kind.isTimed { self.arrival = self.arrival ?? arrival }
    time = time ?? sentence.time
    isDenied = isDenied || sentence.isVoid
    switch sentence {
    case .rmc(let rmc): self.rmc = Self.better(self.rmc, rmc)
    case .gga(let gga): if self.gga == nil { self.gga = gga }
    case .gns(let gns): if self.gns == nil { self.gns = gns }
    case .gll(let gll): if self.gll == nil { self.gll = gll }
    case .vtg(let vtg): self.vtg = Self.better(self.vtg, vtg)
    case .zda(let zda): if self.zda == nil { self.zda = zda }
    case .gst(let gst): stated = stated ?? StatedError(gst)
    case .pgrme(let error): stated = stated ?? StatedError(error)
    case .ubloxPosition(let fix):
      ublox = ublox ?? fix
      stated = stated ?? StatedError(fix)
    case .ubloxTime(let time): ubloxDate = ubloxDate ?? time.date
    case .gsa(let gsa):
      if let found = gsa.mode { mode = max(mode ?? found, found) }
      hdop = hdop ?? gsa.hdop
      vdop = vdop ?? gsa.vdop
      lists.add(gsa)
    case .gsv: break
    }
  }

  /// Counts a sentence of the cycle, even if it contributes nothing to the epoch.
  mutating func note(_ kind: ParsedSentence.Kind) {
    kinds.insert(kind)
    counts[kind.rawValue] = min(counts[kind.rawValue], .max - 1) + 1
    ending = CycleEnding.Sentence(kind: kind, repetitions: Int(counts[kind.rawValue]))
  }

  /// Returns the first sentence, with missing values filled in from the second. Another talker's
  /// sentence of the same kind may contain the speed that is missing from the first one.
  private static func better(
    _ first: ParsedSentence.RMC?, _ second: ParsedSentence.RMC
  ) -> ParsedSentence.RMC {
    guard var first else { return second }
    first.date = first.date ?? second.date
    first.speed = first.speed ?? second.speed
    first.track = first.track ?? second.track
    return first
  }

  private static func better(
    _ first: ParsedSentence.VTG?, _ second: ParsedSentence.VTG
  ) -> ParsedSentence.VTG {
    guard var first else { return second }
    first.speed = first.speed ?? second.speed
    first.track = first.track ?? second.track
    return first
  }

  /// Arrival time of the epoch's first timed sentence, or `nil` if no sentence in the epoch says
  /// whether there is a position.
  var statement: BootTime? {
    contains(.rmc) || contains(.gga) || contains(.gns) || contains(.gll)
      || contains(.ubloxPosition) ? arrival : nil
  }

  /// Arrival time of the epoch's first timed sentence, even if no sentence says whether there is a
  /// position.
  var firstArrival: BootTime? { arrival }

  /// Whether the epoch has a position and no sentence contradicts it. A receiver that loses lock
  /// may send both a position and a "no fix" status in one epoch.
  var isValid: Bool {
    position != nil && !isDenied && mode != .noFix
  }

  /// The date in the epoch's sentences, or `nil` if it cannot be trusted. A receiver that is
  /// searching for satellites sends arbitrary dates.
  var date: UTCTime? {
    if let rmc, rmc.position != nil, let date = rmc.date { return date }
    return isValid ? zda?.date ?? ubloxDate : nil
  }

  /// Returns the fix that the epoch's sentences describe, or `nil` if they contain no valid
  /// position.
  ///
  /// - Parameter held: An error estimate for this epoch that arrived before the epoch was opened.
  func fix(at utc: UTCTime, held: StatedError?) -> Fix? {
    guard isValid, let position, let arrival = statement else { return nil }
    let hdop = gga?.hdop ?? gns?.hdop ?? hdop ?? ublox?.hdop
    let quality = quality
    let error =
      (stated ?? held)?.estimate
      ?? StatedError.estimate(hdop: hdop, vdop: vdop, quality: quality)
    return Fix(
      arrival: arrival, utc: utc, latitude: position.latitude, longitude: position.longitude,
      altitudeMSL: altitudeMSL, geoidSeparation: gga?.geoidSeparation ?? gns?.geoidSeparation,
      speed: rmc?.speed ?? vtg?.speed ?? ublox?.speed,
      track: rmc?.track ?? vtg?.track ?? ublox?.track, hdop: hdop, satellites: satellites,
      isThreeDimensional: isThreeDimensional, quality: quality, error: error)
  }

  /// The position, taken from the kind of sentence that usually has the most digits.
  private var position: ParsedSentence.Position? {
    gga?.position ?? gns?.position ?? rmc?.position ?? gll?.position ?? ublox?.position
  }

  private var altitudeMSL: Double? { gga?.altitudeMSL ?? gns?.altitudeMSL }

  private var satellites: UInt8? {
    gga?.satellites ?? gns?.satellites ?? ublox?.satellites ?? lists.count
  }

  private var isThreeDimensional: Bool {
    if let mode = mode ?? ublox?.mode { return mode == .threeDimensional }
    // If no sentence reports the mode, a fix is considered three-dimensional only if it has an
    // altitude and at least four satellites.
    return altitudeMSL != nil && (satellites ?? 0) >= 4
  }

  private var quality: Fix.Quality {
    // A sentence that marks the position as simulated or estimated takes precedence.
    if claims(.simulated) { return .simulated }
    if claims(.estimated) { return .estimated }
    return gga?.quality ?? gns?.quality ?? rmc?.quality ?? gll?.quality ?? ublox?.quality
      ?? .autonomous
  }

  private func claims(_ quality: Fix.Quality) -> Bool {
    rmc?.quality == quality || gll?.quality == quality || gga?.quality == quality
      || gns?.quality == quality || ublox?.quality == quality
  }
}

/// Counts the satellites in the lists of several sentences, and ignores repeated lists.
private struct SatelliteLists: Sendable {
  private var seen = InlineArray<8, UInt64>(repeating: 0)
  private var length = 0
  private var sum = 0

  /// Number of satellites in all lists, or `nil` if there are no lists.
  var count: UInt8? { length == 0 ? nil : UInt8(clamping: sum) }

  mutating func add(_ gsa: ParsedSentence.GSA) {
    for position in 0..<length where seen[position] == gsa.fingerprint { return }
    guard length < 8 else { return }
    seen[length] = gsa.fingerprint
    length += 1
    sum += Int(gsa.satellites)
  }
}
