internal import Recording
internal import Values

/// Simulates a stream whose true sample times are known. The board has its own oscillator, and a
/// radio link delays its packets and loses some of them. The simulation returns the chunks that a
/// recorder would store.
///
/// Stored times are compared with the true times plus the minimum delay of a packet. No gateway can
/// measure that delay, which is the same for all boards of one kind.
struct KnownTimes {
  /// The configured sample rate, in samples per second.
  var rate = 100.0
  /// The relative difference between the board's actual sample rate and the configured one;
  /// positive if the board is fast.
  var drift = 0.0
  /// The relative change in the sample rate per hour, for example while a board warms up.
  var warming = 0.0
  var samplesPerPacket = 2
  /// The fraction of packets that are lost.
  var loss = 0.01
  /// The connection interval in seconds, and the fraction of connection events that fail.
  var interval = 0.01125
  var failures = 0.05
  /// A packet's minimum delay in seconds.
  var leastDelay = 0.003
  /// The number of bursts per second, the maximum duration of a burst in seconds, and the maximum
  /// additional delay of its packets in seconds.
  var burstRate = 0.1
  var longestBurst = 2.0
  var burstDelay = 0.06
  /// The number of stalls per second, and the maximum duration of a stall in seconds. During a
  /// stall, no packet arrives.
  var stallRate = 0.0
  var longestStall = 3.0
  /// The first sample's time, in seconds on the boot clock.
  var start = 100.0
  /// The packet layout, which determines how the board packs and numbers samples.
  var layout = Layout.countedPair
  /// The simulated thread that reads packets from the socket; `nil` for a thread that is never
  /// delayed.
  var reader: HeldReader?

  /// A packet layout, which determines how missing samples are detected.
  enum Layout: CaseIterable {
    /// The samples are not numbered. A packet contains one sample (`single`) or three (`packed`).
    case single, packed
    /// A packet contains one sample and the board's time.
    case timed
    /// The samples are numbered with 32 bits (`countedPair`) or 8 bits (`counted`).
    case countedPair, counted
  }

  /// A stream's stored samples, with their true times.
  struct Samples {
    /// The true time of each sample, in seconds on the boot clock.
    var truths: [Double] = []
    /// The stored time of each sample.
    var times: [BootTime] = []
    /// Whether any stored time was earlier than or equal to the previous one.
    var isEverBackwards = false
    /// The number of samples reported as lost.
    var lost: UInt64 = 0
  }

  /// The packets that arrive at the computer.
  private struct Packets {
    /// The true time of each sample in seconds, including lost samples.
    var truths: [Double] = []
    /// The sample numbers and the arrival time of each packet.
    var numbers: [Range<UInt32>] = []
    var arrivals: [Double] = []
  }

  func record(seconds: Double, using random: inout SplitMix64) -> Samples {
    var chunker = Chunker(
      session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      board: BoardIdentity(
        address: BoardAddress(value: 5), name: "board", model: "model", firmware: "1.7.3"),
      stream: stream)
    let packets = packets(seconds: seconds, using: &random)
    let arrivals =
      reader?.arrivals(of: packets.arrivals, using: &random)
      ?? packets.arrivals.map { BootTime(nanoseconds: Int64($0 * 1e9)) }
    var result = Samples()
    for (numbers, arrival) in zip(packets.numbers, arrivals) {
      for number in numbers {
        let ticks = packets.truths[Int(number)] / StreamDescription.secondsPerBoardTick
        let reading = Reading(
          board: 0, stream: 0, arrival: arrival, counter: number,
          w: stream.hasBoardTicks ? Int32(truncatingIfNeeded: Int64(ticks)) : 0)
        if chunker.append(reading) == .full, let chunk = chunker.seal(fixes: []) {
          take(chunk, packets.truths, &result)
        }
      }
    }
    if let end = arrivals.last, let chunk = chunker.finish(at: end, fixes: []) {
      take(chunk, packets.truths, &result)
    }
    return result
  }

  private var stream: StreamDescription {
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: rate,
      lossAccounting: [.counted, .countedPair].contains(layout) ? .counted : .estimated,
      hasBoardTicks: layout == .timed, counterBits: layout == .counted ? 8 : 32)
  }

  private func packets(seconds: Double, using random: inout SplitMix64) -> Packets {
    var packets = Packets()
    var (taken, turn, burstEnd, stallEnd, latest) = (start, 0.0, 0.0, 0.0, 0.0)
    let phase = Double.random(in: 0..<interval, using: &random)
    var counter: UInt32 = 0
    while taken < start + seconds {
      let first = counter
      for _ in 0..<samplesPerPacket {
        packets.truths.append(taken)
        counter += 1
        taken += 1 / (rate * (1 + drift + warming * (taken - start) / 3_600))
      }
      let ready = packets.truths[packets.truths.count - 1]
      let period = Double(samplesPerPacket) / rate
      if Double.random(in: 0..<1, using: &random) < burstRate * period {
        burstEnd = ready + Double.random(in: 0...longestBurst, using: &random)
      }
      var sent = ready
      if ready < burstEnd { sent += Double.random(in: 0...burstDelay, using: &random) }
      if stallRate > 0, Double.random(in: 0..<1, using: &random) < stallRate * period {
        stallEnd = ready + Double.random(in: 0...longestStall, using: &random)
      }
      sent = max(sent, stallEnd)
      if sent > turn {
        turn = ((sent - phase) / interval).rounded(.up) * interval + phase
        while Double.random(in: 0..<1, using: &random) < failures { turn += interval }
      }
      latest = max(latest, turn + leastDelay + Double.random(in: 0..<0.000_3, using: &random))
      if Double.random(in: 0..<1, using: &random) < loss { continue }
      packets.numbers.append(first..<counter)
      packets.arrivals.append(latest)
    }
    return packets
  }

  private func take(_ chunk: Chunk, _ truths: [Double], _ result: inout Samples) {
    result.lost += chunk.gaps.reduce(0) { $0 + UInt64($1.lost) }
    for (counter, time) in zip(chunk.counters, chunk.times) where counter < truths.count {
      if let last = result.times.last, time <= last { result.isEverBackwards = true }
      result.truths.append(truths[Int(counter)])
      result.times.append(time)
    }
  }
}
