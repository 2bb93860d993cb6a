internal import Recording

/// A stream whose samples were taken at known times. The board has an oscillator of its own, behind
/// a radio link that delays and loses packets. The result is the chunks that a recorder would
/// store.
///
/// Times are compared with the truth plus the least a packet takes: that no gateway can know, and
/// it is the same for all boards of one kind.
struct KnownTimes {
  /// Samples a second as configured.
  var rate = 100.0
  /// By what part the board is faster than that.
  var drift = 0.0
  /// By what part its rate changes within an hour, as a board does that gets warm.
  var warming = 0.0
  /// Samples that come in one packet.
  var samplesPerPacket = 2
  /// Part of the packets that are lost.
  var loss = 0.01
  /// Seconds between two turns of the link, and how often one fails.
  var interval = 0.01125
  var failures = 0.05
  /// Seconds that every packet takes.
  var leastDelay = 0.003
  /// Bursts a second, the longest of them, and the longest further delay of a packet in one, in
  /// seconds.
  var burstRate = 0.1
  var longestBurst = 2.0
  var burstDelay = 0.06
  /// Seconds on the boot clock at which the first sample is taken.
  var start = 100.0

  /// What was stored of a stream, with the truth beside it.
  struct Samples {
    /// Seconds on the boot clock at which each sample was taken.
    var truths: [Double] = []
    /// When it is stored to have been taken.
    var times: [BootTime] = []
    /// Whether a sample was stored with a time not behind that of the one before.
    var isEverBackwards = false
  }

  /// Records so many seconds.
  func record(seconds: Double, using random: inout SplitMix64) -> Samples {
    var chunker = Chunker(
      session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      board: BoardIdentity(
        address: BoardAddress(value: 5), name: "board", model: "model", firmware: "1.7.3"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: rate,
        lossAccounting: .counted))
    var result = Samples()
    var (taken, turn, burstEnd, latest) = (start, 0.0, 0.0, 0.0)
    let phase = Double.random(in: 0..<interval, using: &random)
    var truths: [Double] = []
    var counter: UInt32 = 0
    while taken < start + seconds {
      let first = counter
      for _ in 0..<samplesPerPacket {
        truths.append(taken)
        counter += 1
        taken += 1 / (rate * (1 + drift + warming * (taken - start) / 3_600))
      }
      let ready = truths[truths.count - 1]
      let untilBurst = burstRate * Double(samplesPerPacket) / rate
      if Double.random(in: 0..<1, using: &random) < untilBurst {
        burstEnd = ready + Double.random(in: 0...longestBurst, using: &random)
      }
      var sent = ready
      if ready < burstEnd { sent += Double.random(in: 0...burstDelay, using: &random) }
      if sent > turn {
        turn = ((sent - phase) / interval).rounded(.up) * interval + phase
        while Double.random(in: 0..<1, using: &random) < failures { turn += interval }
      }
      latest = max(latest, turn + leastDelay + Double.random(in: 0..<0.000_3, using: &random))
      if Double.random(in: 0..<1, using: &random) < loss { continue }
      for number in first..<counter {
        let reading = Reading(
          board: 0, stream: 0, arrival: BootTime(nanoseconds: Int64(latest * 1e9)),
          counter: number)
        if chunker.append(reading) == .full, let chunk = chunker.seal(fixes: []) {
          take(chunk, truths, &result)
        }
      }
    }
    if let chunk = chunker.seal(fixes: []) { take(chunk, truths, &result) }
    return result
  }

  private func take(_ chunk: Chunk, _ truths: [Double], _ result: inout Samples) {
    for (counter, time) in zip(chunk.counters, chunk.times) {
      if let last = result.times.last, time <= last { result.isEverBackwards = true }
      result.truths.append(truths[Int(counter)])
      result.times.append(time)
    }
  }
}
