internal import Simulation

/// Records one board's samples that the radio delivered to the program. The log provides the ground
/// truth for one recording.
///
/// The log does not distinguish streams. It reads the samples from the end of each packet, six
/// bytes per sample.
struct AirLog {
  /// One sample: its three words, and the time at which the radio delivered it.
  struct Sample: Hashable {
    var words: UInt64
    var time: Double
  }

  /// The samples that a client received, in order, except samples from sensors that were started on
  /// an earlier link.
  private(set) var delivered: [Sample] = []
  /// The times at which damaged packets were delivered. Each damaged packet may look like a packet
  /// of samples.
  private(set) var damaged: [Double] = []
  /// The latest packet that contained samples.
  private var latest: [UInt8] = []

  mutating func take(_ notification: SimulatedNotification, isLeftOver: Bool) {
    let count = notification.sampleCount
    let bytes = notification.bytes
    guard count > 0 else {
      // A reply has only a header and a few bytes; a damaged packet of samples has more. A packet
      // of samples that arrives twice is valid, and must be stored only once.
      if bytes.count > 8, bytes != latest { damaged.append(notification.time) }
      return
    }
    latest = bytes
    guard !isLeftOver else { return }
    for index in 0..<count {
      let start = bytes.count - notification.surplus - 6 * (count - index)
      guard start >= 0 else { continue }
      var words: UInt64 = 0
      for place in 0..<6 { words |= UInt64(bytes[start + place]) << (8 * place) }
      delivered.append(Sample(words: words, time: notification.time))
    }
  }
}
