internal import MetaWearProtocol
internal import Values

/// Useless packets of a board: counted by kind, and the last few kept for inspection.
public struct PacketDiagnosis: Hashable, Sendable {
  /// The kind of fault.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Shorter than its header announces.
    case truncated
    /// Longer than any packet of the firmware.
    case overlong
    /// A code missing from the chip's table.
    case unknownCode = "unknown code"
    /// A number that is not finite.
    case notFinite = "not finite"
    /// A module that no board is known to have.
    case unknownModule = "unknown module"
    /// A register that the module is not known to have.
    case unknownRegister = "unknown register"
    /// An answer to a request that was not made, or that was already answered.
    case unasked
    /// A sample of a stream that is not being recorded.
    case strayedSample = "strayed sample"
    /// A module that describes itself unlike any known board, or differently from before.
    case contradiction
  }

  /// A packet and its fault.
  public struct Packet: Hashable, Sendable {
    /// The kind of fault.
    public let kind: Kind
    /// Its bytes, 20 at most.
    public let bytes: [UInt8]

    /// Its bytes in the form that `inspect` reads.
    public var hexadecimal: String {
      Hexadecimal.text(bytes, separator: " ")
    }
  }

  /// Number of packets kept.
  public static let capacity = 32

  /// Number of packets of each kind.
  public private(set) var counts: [Kind: UInt64] = [:]
  /// The last packets, oldest first.
  public private(set) var packets: [Packet] = []

  /// A diagnosis without packets.
  public init() {}

  /// Counts a packet and keeps it.
  mutating func note(_ kind: Kind, _ bytes: [UInt8]) {
    counts[kind, default: 0] += 1
    if packets.count == Self.capacity { packets.removeFirst() }
    packets.append(Packet(kind: kind, bytes: Array(bytes.prefix(Command.maximumLength))))
  }

  /// Counts a packet that could not be decoded.
  mutating func note(_ error: DecodeError, _ bytes: [UInt8]) {
    switch error {
    case .truncated: note(.truncated, bytes)
    case .unknownCode: note(.unknownCode, bytes)
    case .notFinite: note(.notFinite, bytes)
    case .otherPacket: note(.unknownRegister, bytes)
    }
  }
}
