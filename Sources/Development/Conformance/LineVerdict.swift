internal import NMEA
internal import Values

/// A parser's verdict on the first line it reads.
enum LineVerdict: Hashable {
  /// The line is usable, and has all fields of its kind.
  case accept
  /// The line is usable, but one of its fields is missing.
  case fieldDropped
  /// The line is well formed, but reports that no position is known.
  case noFix
  /// The line is rejected as a whole.
  case reject(SentenceFault?)
  /// The parser does not read lines of this kind.
  case ignore

  /// The verdict's name in the vector files.
  var word: String {
    switch self {
    case .accept: "accept"
    case .fieldDropped: "field-dropped"
    case .noFix: "no-fix"
    case .reject: "reject"
    case .ignore: "ignore"
    }
  }

  /// Compares a line's verdict with the verdict that a test case expects.
  static func check(_ json: JSON) throws(Objection) {
    guard let expected = json["expect"]?.text else { throw .skipped("it has no expected result") }
    var line: [UInt8]
    if let text = json["line"]?.text {
      line = Array(text.utf8) + [0x0d, 0x0a]
    } else if let text = json["hex"]?.text, let exact = Hexadecimal.bytes(text) {
      line = exact
    } else {
      throw .skipped("it has neither a line nor bytes")
    }
    let verdict = LineVerdict(of: line)
    if verdict.word == expected { return }
    // A line with an unknown address may be rejected or ignored. Only the parser's counters differ.
    let isAddress =
      verdict == .reject(.unknownAddress)
      || json["reason"]?.text == "unknown-address" && verdict == .ignore
    if isAddress, expected == "ignore" || expected == "reject" { return }
    throw .failed("expected \(expected), got \(verdict.word)\(verdict.reason)")
  }

  private var reason: String {
    if case .reject(let fault?) = self { " (\(fault.rawValue))" } else { "" }
  }

  init(of line: [UInt8]) {
    var framer = SentenceFramer()
    var fault: SentenceFault?
    var isIgnored = false
    for byte in line where framer.accept(byte, at: BootTime(nanoseconds: 0)) {
      do throws(SentenceFault) {
        if let sentence = try ParsedSentence(framer.sentence) {
          self = LineVerdict(of: sentence)
          return
        }
        isIgnored = true
      } catch {
        fault = error
      }
    }
    fault = fault ?? framer.counts.refusals.first?.fault
    // A line without any recognised content is also rejected.
    self = fault == nil && isIgnored ? .ignore : .reject(fault)
  }

  private init(of sentence: ParsedSentence) {
    if sentence.isVoid {
      self = .noFix
      return
    }
    let isWhole: Bool
    switch sentence {
    case .rmc(let rmc):
      isWhole = rmc.speed != nil && rmc.track != nil && rmc.date != nil
    case .gga(let gga):
      isWhole =
        gga.satellites != nil && gga.hdop != nil && gga.altitudeMSL != nil
        && gga.geoidSeparation != nil
    case .gns(let gns):
      isWhole =
        gns.satellites != nil && gns.hdop != nil && gns.altitudeMSL != nil
        && gns.geoidSeparation != nil
    case .gsa(let gsa):
      if gsa.mode == .noFix {
        self = .noFix
        return
      }
      isWhole = gsa.mode != nil && gsa.hdop != nil
    case .vtg(let vtg):
      if vtg.isVoid {
        self = .noFix
        return
      }
      isWhole = vtg.speed != nil && vtg.track != nil
    case .gst(let gst):
      isWhole = gst.latitude != nil && gst.longitude != nil && gst.altitude != nil
    case .zda(let zda): isWhole = zda.time != nil && zda.date != nil
    case .pgrme(let error): isWhole = error.horizontal != nil && error.vertical != nil
    case .ubloxPosition(let fix):
      isWhole =
        fix.altitudeHAE != nil && fix.horizontal != nil && fix.vertical != nil && fix.speed != nil
        && fix.track != nil && fix.hdop != nil && fix.satellites != nil
    case .ubloxTime(let time): isWhole = time.time != nil && time.date != nil
    case .gll, .gsv: isWhole = true
    }
    self = isWhole ? .accept : .fieldDropped
  }
}
