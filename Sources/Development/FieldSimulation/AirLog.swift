internal import Simulation

/// The samples of one board that the radio handed to the program: the truth about one recording.
///
/// It sees packets from outside and knows nothing of streams: the samples are the last six bytes of
/// each packet, times their number.
struct AirLog {
  /// One sample: its three words, and the time at which the radio handed it over.
  struct Sample: Hashable {
    var words: UInt64
    var time: Double
  }

  /// Samples that a client took over, in order, except samples of sensors started on an earlier
  /// link.
  private(set) var delivered: [Sample] = []
  /// Times at which damaged packets were handed over: each may pass for a packet of samples.
  private(set) var damaged: [Double] = []
  /// The latest packet of samples.
  private var latest: [UInt8] = []

  /// Notes a notification that a client took over.
  mutating func take(_ notification: SimulatedNotification, isLeftOver: Bool) {
    let count = notification.sampleCount
    let bytes = notification.bytes
    guard count > 0 else {
      // An answer has no more than a header and a few bytes; a damaged packet of samples has more.
      // A packet of samples that arrives twice is sound, and must be stored once.
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
