internal import Recording

/// What the sentences of one epoch said so far.
struct Epoch: Sendable {
  /// When the position is true; `nil` until a sentence says it.
  private(set) var time: TimeOfDay?
  private(set) var ending: CycleEnding.Sentence?
  private var arrival: BootTime?
  private var counts = InlineArray<6, UInt8>(repeating: 0)

  private var rmc: ParsedSentence.RMC?
  private var gga: ParsedSentence.GGA?
  private var gll: ParsedSentence.GLL?
  private var vtg: ParsedSentence.VTG?
  private var zda: ParsedSentence.ZDA?
  private var hdop: Double?
  private var mode: ParsedSentence.GSA.Mode?
  private var isDenied = false

  /// Whether a sentence of this kind is in it.
  func contains(_ kind: ParsedSentence.Kind) -> Bool { counts[kind.rawValue] > 0 }

  /// Adds a sentence of this epoch. Of several talkers, which send equal positions, the first
  /// counts.
  mutating func add(_ sentence: ParsedSentence, at arrival: BootTime) {
    let kind = sentence.kind
    counts[kind.rawValue] = min(counts[kind.rawValue], .max - 1) + 1
    ending = CycleEnding.Sentence(kind: kind, repetitions: Int(counts[kind.rawValue]))
    // Sentences without time that stand before the first with one may belong to the cycle before.
    if kind.isTimed { self.arrival = self.arrival ?? arrival }
    time = time ?? sentence.time
    isDenied = isDenied || sentence.isVoid
    switch sentence {
    case .rmc(let rmc): self.rmc = self.rmc ?? rmc
    case .gga(let gga): self.gga = self.gga ?? gga
    case .gll(let gll): self.gll = self.gll ?? gll
    case .vtg(let vtg): self.vtg = self.vtg ?? vtg
    case .zda(let zda): self.zda = self.zda ?? zda
    case .gsa(let gsa):
      mode = max(mode ?? gsa.mode, gsa.mode)
      hdop = hdop ?? gsa.hdop
    }
  }

  /// Arrival of the first sentence that speaks of position, if one does.
  var statement: BootTime? {
    contains(.rmc) || contains(.gga) || contains(.gll) ? arrival : nil
  }

  /// Whether there is a position and nothing that contradicts it: a receiver that loses lock may
  /// say both in one epoch.
  var isValid: Bool {
    position != nil && !isDenied && mode != .noFix
  }

  /// The date in it, as far as it may be trusted: a searching receiver makes dates up.
  var date: UTCTime? {
    if let rmc, rmc.position != nil, let date = rmc.date { return date }
    return isValid ? zda?.date : nil
  }

  /// The epoch as one fix; `nil` when it has none.
  func fix(at utc: UTCTime) -> Fix? {
    guard isValid, let position, let arrival = statement else { return nil }
    return Fix(
      arrival: arrival, utc: utc, latitude: position.latitude, longitude: position.longitude,
      altitudeMSL: gga?.altitudeMSL, geoidSeparation: gga?.geoidSeparation,
      speed: rmc?.speed ?? vtg?.speed, track: rmc?.track ?? vtg?.track, hdop: gga?.hdop ?? hdop,
      satellites: gga?.satellites, isThreeDimensional: isThreeDimensional, quality: quality)
  }

  /// By trust: the sentence with the most digits first.
  private var position: ParsedSentence.Position? {
    gga?.position ?? rmc?.position ?? gll?.position
  }

  private var isThreeDimensional: Bool {
    if let mode { return mode == .threeDimensional }
    // Without the sentence that says it: four satellites are what an altitude takes.
    return gga?.altitudeMSL != nil && (gga?.satellites ?? 0) >= 4
  }

  private var quality: Fix.Quality {
    // Whichever sentence says that the position is no measurement is believed.
    for quality in [rmc?.quality, gll?.quality] where quality == .estimated || quality == .simulated
    {
      if let quality { return quality }
    }
    return gga?.quality ?? rmc?.quality ?? gll?.quality ?? .autonomous
  }
}
