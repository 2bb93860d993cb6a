/// A sentence as values, checked field by field; what the receiver left out is `nil`.
public enum ParsedSentence: Hashable, Sendable {
  /// Recommended minimum: time, validity, position, movement and date.
  case rmc(RMC)
  /// Fix data: position, quality and altitude.
  case gga(GGA)
  /// Position and its validity, without altitude.
  case gll(GLL)
  /// Whether the solution has two or three dimensions.
  case gsa(GSA)
  /// Movement over ground.
  case vtg(VTG)
  /// Time and date.
  case zda(ZDA)

  /// A place on the ellipsoid, degrees.
  public struct Position: Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double

    /// The place at these degrees.
    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// The kinds of sentence that make up an epoch.
  enum Kind: Int, CaseIterable, Sendable {
    case rmc, gga, gll, gsa, vtg, zda

    /// The kind an address names; matched by type alone, since any talker may send it.
    init?(type: Substring) {
      switch type {
      case "RMC": self = .rmc
      case "GGA": self = .gga
      case "GLL": self = .gll
      case "GSA": self = .gsa
      case "VTG": self = .vtg
      case "ZDA": self = .zda
      default: return nil
      }
    }

    /// Whether sentences of this kind name the time of their epoch.
    var isTimed: Bool { self != .gsa && self != .vtg }
  }

  var kind: Kind {
    switch self {
    case .rmc: .rmc
    case .gga: .gga
    case .gll: .gll
    case .gsa: .gsa
    case .vtg: .vtg
    case .zda: .zda
    }
  }

  /// The time of the epoch it speaks of, if it says.
  var time: TimeOfDay? {
    switch self {
    case .rmc(let rmc): rmc.time
    case .gga(let gga): gga.time
    case .gll(let gll): gll.time
    case .zda(let zda): zda.time
    case .gsa, .vtg: nil
    }
  }

  /// Whether it is one of those that hold a position, and says that there is none.
  var isVoid: Bool {
    switch self {
    case .rmc(let rmc): rmc.position == nil
    case .gga(let gga): gga.position == nil
    case .gll(let gll): gll.position == nil
    case .gsa, .vtg, .zda: false
    }
  }

  /// Reads a sentence; `nil` for an intact one that is not for us.
  public init?(_ sentence: borrowing Sentence) throws(SentenceFault) {
    let address = sentence.address
    // Proprietary sentences are addressed by P and a maker; their length is the maker's choice.
    guard address.utf8.first != UInt8(ascii: "P") else { return nil }
    guard address.utf8.count == 5, address.utf8.allSatisfy(Self.isAddressLetter) else {
      throw .unknownAddress
    }
    guard let kind = Kind(type: address.suffix(3)) else { return nil }
    switch kind {
    case .rmc: self = .rmc(try RMC(sentence))
    case .gga: self = .gga(try GGA(sentence))
    case .gll: self = .gll(try GLL(sentence))
    case .gsa: self = .gsa(try GSA(sentence))
    case .vtg: self = .vtg(try VTG(sentence))
    case .zda: self = .zda(try ZDA(sentence))
    }
  }

  private static func isAddressLetter(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
