internal import Recording
internal import Simulation
internal import Values

/// The rules that hold after every recording, whatever happened: the promise of the product, judged
/// by the logs of boards and radio.
enum FieldInvariant: String, Sendable {
  /// Every sample that the radio handed to the program is stored once, in order.
  ///
  /// There are three exceptions: samples of the last second before the program or the power was cut
  /// off; samples that a board sent before it was set up, which belong to no recording; and samples
  /// after the request to stop. A board that was not cleared may send a sample a second time, from
  /// a processor of an earlier setup.
  case stored
  /// No sample is stored that the radio did not hand over.
  case nothingElse = "nothing else"
  /// Samples that were on the air and did not arrive are counted as lost, each once.
  case counted
  /// Stored and lost samples together are as many as the board took from the first to the last.
  /// Samples that it did not take because its firmware hung may be counted as lost, or not.
  case time
  /// Every sample is stored with the time at which its packet arrived, and the times of a stream
  /// increase from sample to sample.
  case moments
  /// The session has every position that the receiver reported while the program listened, with its
  /// second, once, and no other.
  case positions
  /// The samples, losses and positions that a reader finds after a recording are the same later.
  case kept
  /// A stream without a fault has lost nothing, except for samples that a power cut tore.
  case noFalseLoss = "no false loss"
  /// After an upload that left nothing behind, the server has every chunk of the store, byte for
  /// byte, and no other. It also has the record of every session, which arrived after its chunks.
  case uploaded
  /// A recording ends within 15 seconds of the request, and an upload within ten minutes. With a
  /// healthy network the upload leaves nothing behind. A recording that ends by itself says why,
  /// and a recording can begin on a working disk.
  case ends = "an end that comes"
  /// In the last five minutes of a walk, long after its last fault, every stream arrives.
  case noSilence = "no silence"
  /// bluetoothd and boards were asked for nothing that they refuse or ignore.
  case noMistake = "no mistake"
}

/// A broken invariant.
struct Violation: Sendable {
  var invariant: FieldInvariant
  /// Seconds since the start of the trip.
  var time: Double
  var text: String
}

/// The accounts of one board in one recording.
struct BoardAccounts {
  /// Seconds before a cut in which samples may be lost without a count: the longest time from one
  /// sync of the tail to the next.
  private static let cutSeconds = 1.2
  /// The samples among which a repetition is searched for, and the seconds after which a sample no
  /// longer counts as one.
  private static let recentSamples = 32
  private static let repetitionSeconds = 0.1
  private static let unpairedSamples = 16
  /// Samples by which the count of a silence may be wrong.
  private static let restartSamples = 2
  /// Seconds within which the program takes a packet that was handed over.
  private static let takingSeconds = 1.0
  /// Seconds without a sample that count as silence.
  private static let silenceSeconds = 2.0
  /// Seconds before the end in which a silence breaks the invariant.
  private static let calmSeconds = 300.0

  var air: AirLog
  var streams: [StoredStream]
  /// Samples of the board per nominal second.
  var clockFactor: Double
  /// Samples that were lost on the air meanwhile.
  var dropped: Int
  var start: Double
  var end: Double
  /// Time of the request to stop; `nil` without a request.
  var stoppedAt: Double?
  /// Whether the program was killed or lost its power.
  var wasCut: Bool
  /// Whether any fault occurred that may cost samples, and whether only packets were lost.
  var hadFault: Bool
  var lostPacketsOnly: Bool
  /// Total seconds by which packets were late. If the first packet after a lost link is late, the
  /// program still takes its arrival for the end of the gap, and counts too much.
  var lateSeconds = 0.0
  /// Seconds for which the firmware hung and took no samples. A short pause is not counted; a long
  /// one is counted as silence.
  var hungSeconds = 0.0
  /// Samples that a failing disk did not store, as counted in the recording's report: the store can
  /// no longer say so.
  var unstored = 0

  /// The broken invariants.
  func violations() -> [Violation] {
    compareSamples() + streams.flatMap(checkRise) + checkCounts() + streams.flatMap(checkTime)
      + streams.flatMap(checkSilence)
  }

  /// Finds each delivered sample in a stream, where it must be the next one.
  private func compareSamples() -> [Violation] {
    var next = Array(repeating: 0, count: streams.count)
    var doubtful = air.damaged[...]
    var missing: [Double] = []
    var repetitions = 0
    var found: [Violation] = []
    var displaced: [(time: Double, stored: Double)] = []
    // Stream and number of stored samples that did not arrive, one for each place.
    var surplus: [(place: Int, number: Int)] = []
    // The samples that were just found.
    var recent: [AirLog.Sample] = []
    for sample in air.delivered {
      if let place = streams.indices.first(where: { isNext(sample, $0, next) }) {
        let stored = streams[place].arrivals[next[place]] - bootOffset
        if !(-0.001...Self.takingSeconds).contains(stored - sample.time) {
          displaced.append((sample.time, stored))
        }
        next[place] += 1
        if recent.count == Self.recentSamples { recent.removeFirst() }
        recent.append(sample)
        continue
      }
      let isRepeated = recent.contains {
        $0.words == sample.words && sample.time - $0.time <= Self.repetitionSeconds
      }
      if isRepeated {
        repetitions += 1
        continue
      }
      // Up to three samples of a damaged packet may have been taken for real ones.
      if let first = doubtful.first, first <= sample.time,
        let (place, skipped) = afterSkipping(sample, next)
      {
        next[place] += skipped + 1
        doubtful.removeFirst()
        continue
      }
      // If a forgotten processor also sends samples, it is unclear which of two is the extra one.
      if repetitions == 0, let (place, skipped) = afterSkipping(sample, next) {
        surplus.append((place, next[place]))
        next[place] += skipped + 1
        continue
      }
      if !isExempt(sample) { missing.append(sample.time) }
    }
    if let (place, number) = surplus.first {
      found.append(
        Violation(
          invariant: .nothingElse, time: streams[place].arrivals[number] - bootOffset,
          text: "\(streams[place].signal): sample \(number) did not arrive, nor did those "
            + "at \(surplus.count - 1) other places"))
    }
    // Processors that send twice pair the samples differently: each link may begin and end with a
    // pair that only the forgotten processor sent.
    let unpaired = min(missing.count, repetitions / 50, Self.unpairedSamples)
    missing.removeFirst(unpaired)
    missing.removeLast(min(missing.count, unstored))
    if let first = missing.first, let last = missing.last {
      found.append(
        Violation(
          invariant: .stored, time: first,
          text: "\(missing.count) samples that arrived are not stored, the last at \(last)"))
    }
    // Two samples with equal words may be confused if one of them was repeated.
    if let first = displaced.first, displaced.count > repetitions {
      found.append(
        Violation(
          invariant: .moments, time: first.time,
          text: "\(displaced.count) samples are stored with another arrival, the first with "
            + "\(first.stored)"))
    }
    for (place, stream) in streams.enumerated() where next[place] < stream.words.count {
      // The very last packet may be a damaged one.
      if !doubtful.isEmpty, stream.words.count - next[place] <= 3 { continue }
      found.append(
        Violation(
          invariant: .nothingElse, time: stream.arrivals[next[place]],
          text: "\(stream.signal): sample \(next[place]) of \(stream.words.count) and those after "
            + "it did not arrive in this form"))
    }
    for stream in streams where stream.damaged > 0 {
      found.append(
        Violation(
          invariant: .stored, time: end,
          text: "\(stream.signal): \(stream.damaged) chunks cannot be read"))
    }
    return found
  }

  private func isNext(_ sample: AirLog.Sample, _ place: Int, _ next: [Int], skip: Int = 0) -> Bool {
    let words = streams[place].words
    return next[place] + skip < words.count && words[next[place] + skip] == sample.words
  }

  private func afterSkipping(_ sample: AirLog.Sample, _ next: [Int]) -> (Int, Int)? {
    for place in streams.indices {
      for skip in 1...3 where isNext(sample, place, next, skip: skip) { return (place, skip) }
    }
    return nil
  }

  private func isExempt(_ sample: AirLog.Sample) -> Bool {
    if wasCut, sample.time > end - Self.cutSeconds { return true }
    return stoppedAt.map { sample.time >= $0 } ?? false
  }

  private func checkRise(_ stream: StoredStream) -> [Violation] {
    guard let fallen = stream.fallen else { return [] }
    return [
      Violation(
        invariant: .moments, time: stream.arrivals[fallen] - bootOffset,
        text: "\(stream.signal): sample \(fallen) is not later than the one before")
    ]
  }

  private func checkCounts() -> [Violation] {
    let lost = streams.reduce(0) { $0 + Int($1.lost) }
    // A power cut may tear the tail in the middle of its last second: the samples of the torn part
    // are counted, and the samples after it are stored.
    let torn = wasCut ? air.delivered.count - streams.reduce(0) { $0 + $1.words.count } : 0
    if !hadFault, lost > max(0, torn) {
      return [
        Violation(
          invariant: .noFalseLoss, time: end, text: "\(lost) samples lost though nothing happened")
      ]
    }
    // A sensor that was restarted, since it seemed silent, took no samples meanwhile: that gap is
    // an estimate.
    let silences = streams.reduce(0) { $0 + $1.gaps.count { $0.reason == .silent } }
    guard lostPacketsOnly, !wasCut, abs(lost - dropped) > Self.restartSamples * silences else {
      return []
    }
    return [
      Violation(
        invariant: .counted, time: end, text: "\(dropped) samples were lost, but \(lost) counted")
    ]
  }

  private func checkTime(_ stream: StoredStream) -> [Violation] {
    guard let first = stream.arrivals.first, let last = stream.arrivals.last else { return [] }
    let rate = stream.rate * clockFactor
    let expected = (last - first) * rate + 1
    let within = stream.gaps.filter { Double($0.end.nanoseconds) / 1e9 <= last }
    let count = Double(stream.words.count) + within.reduce(0) { $0 + Double($1.lost) }
    let gapSeconds = within.reduce(0.0) { $0 + $1.end.seconds(since: $1.start) }
    let tolerance =
      8 + 4 * Double(within.count) + 0.01 * gapSeconds * rate + lateSeconds * rate
    let untaken = hungSeconds * rate
    guard count > expected + tolerance || count < expected - untaken - tolerance else { return [] }
    return [
      Violation(
        invariant: .time, time: end,
        text: "\(stream.signal): \(Int(count)) stored and lost, \(Int(expected)) taken, "
          + "tolerance \(Int(tolerance)); gaps: "
          + within.map(\.words).joined(separator: ", "))
    ]
  }

  private func checkSilence(_ stream: StoredStream) -> [Violation] {
    guard let stoppedAt, stoppedAt - start > 2 * Self.calmSeconds else { return [] }
    var last = stoppedAt - Self.calmSeconds
    for arrival in stream.arrivals.reversed().prefix(while: { $0 - bootOffset > last }).reversed() {
      let time = arrival - bootOffset
      if time - last > Self.silenceSeconds {
        return [
          Violation(
            invariant: .noSilence, time: last,
            text: "\(stream.signal): nothing for \(time - last) s, long after the last fault")
        ]
      }
      last = time
    }
    guard stoppedAt - last > Self.silenceSeconds else { return [] }
    return [
      Violation(
        invariant: .noSilence, time: last,
        text: "\(stream.signal): nothing for the last \(stoppedAt - last) s")
    ]
  }

  /// The boot clock at the start of the trip.
  var bootOffset: Double
}

extension Gap {
  /// The gap in a few words.
  var words: String {
    "\(lost) \(reason)\(isEstimate ? " about" : "") in \(end.seconds(since: start)) s"
  }
}
