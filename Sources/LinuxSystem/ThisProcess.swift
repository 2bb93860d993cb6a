internal import Glibc

/// This process itself.
public enum ThisProcess {
  /// The path of its program.
  public static var program: String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe readlink(
        "/proc/self/exe", start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Ends it with a status for its caller; temporary folders that are still there go with it.
  public static func exit(_ status: Int32) -> Never {
    TemporaryFolder.removeAll()
    Glibc.exit(status)
  }
}
