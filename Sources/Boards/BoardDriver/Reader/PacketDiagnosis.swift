internal import MetaWearProtocol
internal import Values

/// Diagnoses a board's unusable packets: counts each kind and stores the last few packets for
/// inspection.
public struct PacketDiagnosis: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The packet is shorter than its header requires.
    case truncated
    /// The packet is longer than any that the firmware sends.
    case overlong
    /// The packet contains a code that is missing from the chip's table.
    case unknownCode = "unknown code"
    /// The packet contains a number that is not finite.
    case notFinite = "not finite"
    /// The packet comes from a module that no known board has.
    case unknownModule = "unknown module"
    /// The packet comes from an unknown register of its module.
    case unknownRegister = "unknown register"
    /// The packet is a response to a request that was never made or has already been answered.
    case unasked
    /// The packet is a sample of a stream that is not being recorded.
    case strayedSample = "stray sample"
    /// The packet describes a module in a way that differs from all known boards, or from the
    /// module's earlier description.
    case contradiction
  }

  /// An unusable packet and the reason it is unusable.
  public struct Packet: Hashable, Sendable {
    public let kind: Kind
    /// The packet's first bytes, 20 at most.
    public let bytes: [UInt8]

    /// In the format that `inspect` reads.
    public var hexadecimal: String {
      Hexadecimal.text(bytes, separator: " ")
    }
  }

  /// Maximum number of packets stored for inspection.
  public static let capacity = 32

  public private(set) var counts: [Kind: UInt64] = [:]
  /// The last unusable packets, oldest first.
  public private(set) var packets: [Packet] = []

  public init() {}

  mutating func note(_ kind: Kind, _ bytes: [UInt8]) {
    counts[kind, default: 0] += 1
    if packets.count == Self.capacity { packets.removeFirst() }
    packets.append(Packet(kind: kind, bytes: Array(bytes.prefix(Command.maximumLength))))
  }

  mutating func note(_ error: DecodeError, _ bytes: [UInt8]) {
    switch error {
    case .truncated: note(.truncated, bytes)
    case .unknownCode: note(.unknownCode, bytes)
    case .notFinite: note(.notFinite, bytes)
    case .otherPacket: note(.unknownRegister, bytes)
    }
  }
}
