internal import CLinux

/// Controls which processors the program's threads run on.
public enum Processors {
  /// The numbers of the processors on which this thread may run.
  public static var allowed: [Int] {
    var words = [UInt64](repeating: 0, count: Int(clinux_processor_words))
    guard unsafe clinux_allowed_processors(&words) > 0 else { return [] }
    return (0..<words.count * 64).filter { words[$0 / 64] >> ($0 % 64) & 1 == 1 }
  }

  /// Pins the calling thread to a processor. If the kernel refuses, the thread is not pinned.
  public static func pinThisThread(to processor: Int) {
    precondition(
      (0..<Int(clinux_processor_words) * 64).contains(processor), "the processor does not exist")
    _ = clinux_pin_this_thread(Int32(processor))
  }
}
