/// A sentence's values, checked field by field. Fields that the receiver left empty are `nil`.
public enum ParsedSentence: Hashable, Sendable {
  /// Recommended minimum: time, validity, position, movement and date.
  case rmc(RMC)
  /// Fix data: position, quality and altitude.
  case gga(GGA)
  /// Fix data from several constellations.
  case gns(GNS)
  /// Position and its validity, without altitude.
  case gll(GLL)
  /// The fix mode, the satellites used and the dilution of precision.
  case gsa(GSA)
  /// Up to four of the satellites in view.
  case gsv(GSV)
  /// Standard deviations of the position.
  case gst(GST)
  /// Course and speed over ground.
  case vtg(VTG)
  /// Time and date.
  case zda(ZDA)
  /// A Garmin receiver's estimate of the position error.
  case pgrme(PGRME)
  /// A u-blox sentence that contains a complete fix.
  case ubloxPosition(UbloxPosition)
  /// A u-blox sentence with the time and date.
  case ubloxTime(UbloxTime)

  /// A location on the ellipsoid, in degrees.
  public struct Position: Hashable, Sendable {
    /// Degrees north of the equator.
    public var latitude: Double
    /// Degrees east of Greenwich.
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// The kinds of sentence that the program uses.
  enum Kind: Int, CaseIterable, Sendable {
    case rmc, gga, gns, gll, gsa, gsv, gst, vtg, zda, pgrme, ubloxPosition, ubloxTime

    /// Determines the kind from the type in a sentence's address. The talker is ignored, because
    /// any talker may send any type. Returns `nil` for an unused kind.
    init?(_ sentence: borrowing Sentence) throws(SentenceFault) {
      let address = sentence.range(0)
      guard !address.isEmpty else { throw .unknownAddress }
      // AIS messages from ships and buoys. None of their addresses matches a kind used here.
      if sentence.isEncapsulated { return nil }
      // Proprietary addresses consist of P and a manufacturer's code. The manufacturer chooses
      // their length.
      if sentence[address.lowerBound] == UInt8(ascii: "P") {
        switch sentence.word(0) {
        case Address.pgrme: self = .pgrme
        case Address.pubx where sentence.unsigned(1) == 0: self = .ubloxPosition
        case Address.pubx where sentence.unsigned(1) == 4: self = .ubloxTime
        default: return nil
        }
        return
      }
      guard address.count == 5 else { throw .unknownAddress }
      for position in address where !Self.isAddressLetter(sentence[position]) {
        throw .unknownAddress
      }
      switch sentence.word(0) & 0xff_ffff {
      case Address.rmc: self = .rmc
      case Address.gga: self = .gga
      case Address.gns: self = .gns
      case Address.gll: self = .gll
      case Address.gsa: self = .gsa
      case Address.gsv: self = .gsv
      case Address.gst: self = .gst
      case Address.vtg: self = .vtg
      case Address.zda: self = .zda
      default: return nil
      }
    }

    /// Whether sentences of this kind contain the time of their epoch.
    var isTimed: Bool {
      switch self {
      case .gsa, .gsv, .vtg, .pgrme: false
      case .rmc, .gga, .gns, .gll, .gst, .zda, .ubloxPosition, .ubloxTime: true
      }
    }

    /// Whether sentences of this kind contain the receiver's position or report that it is unknown.
    var isPosition: Bool {
      switch self {
      case .rmc, .gga, .gns, .gll, .ubloxPosition: true
      case .gsa, .gsv, .gst, .vtg, .zda, .pgrme, .ubloxTime: false
      }
    }

    private static func isAddressLetter(_ byte: UInt8) -> Bool {
      byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
  }

  var kind: Kind {
    switch self {
    case .rmc: .rmc
    case .gga: .gga
    case .gns: .gns
    case .gll: .gll
    case .gsa: .gsa
    case .gsv: .gsv
    case .gst: .gst
    case .vtg: .vtg
    case .zda: .zda
    case .pgrme: .pgrme
    case .ubloxPosition: .ubloxPosition
    case .ubloxTime: .ubloxTime
    }
  }

  /// The epoch's time, or `nil` if the sentence does not contain it.
  var time: TimeOfDay? {
    switch self {
    case .rmc(let rmc): rmc.time
    case .gga(let gga): gga.time
    case .gns(let gns): gns.time
    case .gll(let gll): gll.time
    case .gst(let gst): gst.time
    case .zda(let zda): zda.time
    case .ubloxPosition(let fix): fix.time
    case .ubloxTime(let time): time.time
    case .gsa, .gsv, .vtg, .pgrme: nil
    }
  }

  /// Whether the sentence reports that there is no position, although sentences of its kind contain
  /// one.
  public var isVoid: Bool {
    switch self {
    case .rmc(let rmc): rmc.position == nil
    case .gga(let gga): gga.position == nil
    case .gns(let gns): gns.position == nil
    case .gll(let gll): gll.position == nil
    case .ubloxPosition(let fix): fix.position == nil
    case .gsa, .gsv, .gst, .vtg, .zda, .pgrme, .ubloxTime: false
    }
  }

  /// Parses a sentence. Returns `nil` for an intact sentence of an unused kind.
  public init?(_ sentence: borrowing Sentence) throws(SentenceFault) {
    guard let kind = try Kind(sentence) else { return nil }
    self = try Self(sentence, of: kind)
  }

  init(_ sentence: borrowing Sentence, of kind: Kind) throws(SentenceFault) {
    switch kind {
    case .rmc: self = .rmc(try RMC(sentence))
    case .gga: self = .gga(try GGA(sentence))
    case .gns: self = .gns(try GNS(sentence))
    case .gll: self = .gll(try GLL(sentence))
    case .gsa: self = .gsa(try GSA(sentence))
    case .gsv: self = .gsv(try GSV(sentence))
    case .gst: self = .gst(try GST(sentence))
    case .vtg: self = .vtg(try VTG(sentence))
    case .zda: self = .zda(try ZDA(sentence))
    case .pgrme: self = .pgrme(try PGRME(sentence))
    case .ubloxPosition: self = .ubloxPosition(try UbloxPosition(sentence))
    case .ubloxTime: self = .ubloxTime(try UbloxTime(sentence))
    }
  }
}

/// Sentence addresses as integers: their ASCII letters, with the last letter in the lowest byte.
private enum Address {
  static let rmc: UInt64 = 0x52_4d43
  static let gga: UInt64 = 0x47_4741
  static let gns: UInt64 = 0x47_4e53
  static let gll: UInt64 = 0x47_4c4c
  static let gsa: UInt64 = 0x47_5341
  static let gsv: UInt64 = 0x47_5356
  static let gst: UInt64 = 0x47_5354
  static let vtg: UInt64 = 0x56_5447
  static let zda: UInt64 = 0x5a_4441
  static let pgrme: UInt64 = 0x50_4752_4d45
  static let pubx: UInt64 = 0x5055_4258
}
