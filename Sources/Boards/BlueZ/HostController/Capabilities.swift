internal import LinuxSystem

/// A thread's Linux capabilities, which grant rights beyond those of its user.
public struct Capabilities: Hashable, Sendable {
  /// CAP_NET_RAW: required to send commands to a Bluetooth controller.
  public static let rawBit = 13
  /// CAP_NET_ADMIN: required to change how the kernel uses a Bluetooth controller.
  public static let adminBit = 12

  /// The effective capabilities, as encoded by the kernel.
  public let bits: UInt64

  public init(bits: UInt64) {
    self.bits = bits
  }

  /// Reads the `CapEff:` line in a `/proc/…/status` file. Returns `nil` if the line is missing.
  public init?(status text: String) {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
      let word = line.split(whereSeparator: \.isWhitespace).last,
      let bits = UInt64(word, radix: 16)
    else { return nil }
    self.bits = bits
  }

  /// Returns the calling thread's capabilities, or an empty set if the kernel does not report them.
  public static func current() -> Capabilities {
    Capabilities(status: WholeFile.text("/proc/thread-self/status") ?? "") ?? Capabilities(bits: 0)
  }

  /// Whether the thread may change the connection parameters of live links.
  public var canCommand: Bool { bits >> UInt64(Self.rawBit) & 1 == 1 }

  /// Whether the thread may change the kernel's list of connection parameters.
  public var canManage: Bool { bits >> UInt64(Self.adminBit) & 1 == 1 }
}
