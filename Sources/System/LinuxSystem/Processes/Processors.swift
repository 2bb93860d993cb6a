internal import CLinux

/// Which processors threads run on.
public enum Processors {
  /// The numbers of those that this thread may use.
  public static var allowed: [Int] {
    var words = [UInt64](repeating: 0, count: Int(clinux_processor_words))
    guard unsafe clinux_allowed_processors(&words) > 0 else { return [] }
    return (0..<words.count * 64).filter { words[$0 / 64] >> ($0 % 64) & 1 == 1 }
  }

  /// Keeps the calling thread on one of them; where that is refused the thread stays free.
  public static func pinThisThread(to processor: Int) {
    precondition((0..<Int(clinux_processor_words) * 64).contains(processor), "no such processor")
    _ = clinux_pin_this_thread(Int32(processor))
  }
}
