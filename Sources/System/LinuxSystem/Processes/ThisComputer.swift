internal import Glibc

/// The computer on which this process runs.
public enum ThisComputer {
  /// The host name; empty if there is none.
  public static var name: String {
    // The kernel limits the name to 64 bytes.
    var bytes = [CChar](repeating: 0, count: 256)
    let outcome = unsafe gethostname(&bytes, bytes.count - 1)
    guard outcome == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
