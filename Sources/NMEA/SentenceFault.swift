/// Why a sentence was refused. Nothing of a refused sentence is used.
public enum SentenceFault: Error, Hashable, Sendable, CaseIterable {
  /// The next `$` came before its end.
  case interrupted
  /// A byte in it was not printable.
  case notPrintable
  /// It passed 255 bytes.
  case overlong
  /// It had no checksum, or half of one.
  case missingChecksum
  /// What followed the `*` were not two hexadecimal digits.
  case malformedChecksum
  /// The checksum did not match.
  case wrongChecksum
  /// The address was not two letters of a talker and three of a type.
  case unknownAddress
  /// It ended before the fields that its type always has.
  case tooFewFields
  /// A field without which it means nothing was malformed or out of range.
  case badField
}

/// What became of everything a receiver sent.
public struct SentenceCounts: Hashable, Sendable {
  /// Sentences that were read and used.
  public internal(set) var accepted = 0
  /// Intact sentences of types that are not for us.
  public internal(set) var ignored = 0
  /// Bytes outside any sentence, line ends not counted.
  public internal(set) var strayBytes = 0
  private var faults = [Int](repeating: 0, count: SentenceFault.allCases.count)

  init() {}

  /// Sentences refused for one reason.
  public subscript(fault: SentenceFault) -> Int {
    faults[Self.position(of: fault)]
  }

  /// Sentences refused for whatever reason.
  public var refused: Int { faults.reduce(0, +) }

  mutating func count(_ fault: SentenceFault) {
    faults[Self.position(of: fault)] += 1
  }

  private static func position(of fault: SentenceFault) -> Int {
    switch fault {
    case .interrupted: 0
    case .notPrintable: 1
    case .overlong: 2
    case .missingChecksum: 3
    case .malformedChecksum: 4
    case .wrongChecksum: 5
    case .unknownAddress: 6
    case .tooFewFields: 7
    case .badField: 8
    }
  }
}
