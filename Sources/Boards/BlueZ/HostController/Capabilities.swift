internal import LinuxSystem

/// Capabilities of a thread beyond its user's rights.
public struct Capabilities: Hashable, Sendable {
  /// CAP_NET_RAW: commands to a Bluetooth controller.
  public static let rawBit = 13
  /// CAP_NET_ADMIN: changes to the kernel's use of a Bluetooth controller.
  public static let adminBit = 12

  /// The kernel's bits for the effective capabilities.
  public let bits: UInt64

  /// Capabilities with these bits.
  public init(bits: UInt64) {
    self.bits = bits
  }

  /// Reads the line `CapEff:` of a `/proc/…/status`; `nil` when there is none.
  public init?(status text: String) {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
      let word = line.split(whereSeparator: \.isWhitespace).last,
      let bits = UInt64(word, radix: 16)
    else { return nil }
    self.bits = bits
  }

  /// Capabilities of the calling thread; empty if the kernel does not report them.
  public static func current() -> Capabilities {
    Capabilities(status: WholeFile.text("/proc/thread-self/status") ?? "") ?? Capabilities(bits: 0)
  }

  /// Whether links may be updated.
  public var canCommand: Bool { bits >> UInt64(Self.rawBit) & 1 == 1 }

  /// Whether the kernel's list of parameters may be changed.
  public var canManage: Bool { bits >> UInt64(Self.adminBit) & 1 == 1 }
}
