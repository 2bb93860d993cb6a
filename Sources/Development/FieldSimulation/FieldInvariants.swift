internal import Recording
internal import Simulation
internal import Values

/// The rules that must hold after every recording, whatever faults occurred. They express what the
/// product promises, and are checked against the boards' and the radio's logs.
enum FieldInvariant: String, Sendable {
  /// Every sample that the radio delivered to the program is stored once, in order.
  ///
  /// Some samples are exempt. Samples from the last second before a kill or a power cut may be
  /// missing. Samples that a board sent before it was set up belong to no recording. Samples after
  /// the request to stop are ignored. A board that was not cleared may send a sample twice, from a
  /// processor of an earlier setup.
  case stored
  /// Every stored sample was delivered by the radio.
  case nothingElse = "nothing else"
  /// Every sample lost over the air is counted as lost, exactly once.
  case counted
  /// The total number of stored and lost samples equals the number that the board measured between
  /// the first and the last sample. Samples that are missing because the firmware hung may or may
  /// not be reported as lost.
  case time
  /// Every sample is stored with its packet's arrival time, and the times in a stream increase from
  /// sample to sample.
  case moments
  /// The session contains every position that the receiver reported while the program was
  /// listening, exactly once and with the correct second. It contains no other positions.
  case positions
  /// A reader finds the same samples, losses and positions immediately after the recording and at
  /// any later time.
  case kept
  /// A stream without a fault reports no losses, except for samples in a tail that was torn by a
  /// power cut.
  case noFalseLoss = "no false loss"
  /// After a complete upload, the server has exactly the chunks in the store, byte for byte. It
  /// also has the record of every session, which arrived after the session's chunks.
  case uploaded
  /// A recording ends within 15 seconds of the request to stop, and an upload ends within ten
  /// minutes. With a healthy network, the upload is complete. A recording that ends without a
  /// request reports why. A recording can start on a working disk.
  case ends = "a timely end"
  /// In the last five minutes of a walk, long after its last fault, all streams deliver samples.
  case noSilence = "no silence"
  /// The program sent no request that bluetoothd or a board rejects or ignores.
  case noMistake = "no mistake"
}

/// A broken invariant, with the time and a description.
struct Violation: Sendable {
  var invariant: FieldInvariant
  /// Seconds since the start of the trip.
  var time: Double
  var text: String
}

/// Checks the invariants for one board in one recording.
struct BoardAccounts {
  /// Seconds before a kill or power cut during which samples may be lost without being reported.
  /// This is the longest time between two tail syncs.
  private static let cutSeconds = 1.2
  /// The number of recent samples to search for a repeated sample, and the maximum age of a
  /// repeated sample in seconds.
  private static let recentSamples = 32
  private static let repetitionSeconds = 0.1
  private static let unpairedSamples = 16
  /// The tolerance in samples for each period in which a stream was silent. The tolerance is needed
  /// because the length of that period is estimated.
  private static let restartSamples = 2
  /// The time limit in seconds for the program to process a packet that the radio delivered.
  private static let takingSeconds = 1.0
  /// Seconds without a sample after which a stream is considered silent.
  private static let silenceSeconds = 2.0
  /// Seconds before the end of a walk during which no stream may be silent.
  private static let calmSeconds = 300.0

  var air: AirLog
  var streams: [StoredStream]
  /// The board's actual sample rate divided by its nominal rate.
  var clockFactor: Double
  /// The number of samples lost over the air during the recording.
  var dropped: Int
  var start: Double
  var end: Double
  /// The time of the request to stop; `nil` if there was none.
  var stoppedAt: Double?
  /// Whether the program was killed or its power was cut.
  var wasCut: Bool
  /// Whether any fault occurred that may have caused a loss of samples. `lostPacketsOnly` is set if
  /// packet loss was the only kind of fault.
  var hadFault: Bool
  var lostPacketsOnly: Bool
  /// The sum of all delay faults' maximum delays, in seconds. If the first packet after a lost link
  /// is late, the program still treats its arrival as the end of the gap. It then reports too many
  /// lost samples.
  var lateSeconds = 0.0
  /// Seconds during which the firmware was hung and produced no samples. The program does not
  /// notice a short pause. It treats a long pause as silence.
  var hungSeconds = 0.0
  /// The number of samples that were not stored because the disk failed, according to the
  /// recording's report. The store cannot record this loss.
  var unstored = 0

  func violations() -> [Violation] {
    compareSamples() + streams.flatMap(checkRise) + checkCounts() + streams.flatMap(checkTime)
      + streams.flatMap(checkSilence)
  }

  /// Matches each delivered sample with a stream's next unmatched stored sample.
  private func compareSamples() -> [Violation] {
    var next = Array(repeating: 0, count: streams.count)
    var doubtful = air.damaged[...]
    var missing: [Double] = []
    var repetitions = 0
    var found: [Violation] = []
    var displaced: [(time: Double, stored: Double)] = []
    // The start of each run of stored samples that were not delivered, as a stream index and a
    // sample number.
    var surplus: [(place: Int, number: Int)] = []
    // The samples that were matched most recently.
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
      // Up to three samples in a damaged packet may have been decoded as real samples.
      if let first = doubtful.first, first <= sample.time,
        let (place, skipped) = afterSkipping(sample, next)
      {
        next[place] += skipped + 1
        doubtful.removeFirst()
        continue
      }
      // If a processor of an earlier setup also sends samples, it is unclear which of two equal
      // samples is the extra sample.
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
          text: "\(streams[place].signal): sample \(number) did not arrive, nor did samples "
            + "at \(surplus.count - 1) other places"))
    }
    // If a processor of an earlier setup sends every sample again, samples cannot always be paired
    // correctly. Each link may begin and end with a pair that only this processor sent.
    let unpaired = min(missing.count, repetitions / 50, Self.unpairedSamples)
    missing.removeFirst(unpaired)
    missing.removeLast(min(missing.count, unstored))
    if let first = missing.first, let last = missing.last {
      found.append(
        Violation(
          invariant: .stored, time: first,
          text: "\(missing.count) samples that arrived are not stored, the last at \(last)"))
    }
    // Two samples with equal values may be confused if one of them was repeated.
    if let first = displaced.first, displaced.count > repetitions {
      found.append(
        Violation(
          invariant: .moments, time: first.time,
          text:
            "\(displaced.count) samples are stored with a different arrival time, the first with "
            + "\(first.stored)"))
    }
    for (place, stream) in streams.enumerated() where next[place] < stream.words.count {
      // The very last packet may be damaged.
      if !doubtful.isEmpty, stream.words.count - next[place] <= 3 { continue }
      found.append(
        Violation(
          invariant: .nothingElse, time: stream.arrivals[next[place]],
          text: "\(stream.signal): sample \(next[place]) of \(stream.words.count) and the samples "
            + "after it did not arrive with these values"))
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
    // A power cut may tear the tail in the middle of its last second. The samples in the torn part
    // are reported as lost, and the samples after it are stored.
    let torn = wasCut ? air.delivered.count - streams.reduce(0) { $0 + $1.words.count } : 0
    if !hadFault, lost > max(0, torn) {
      return [
        Violation(
          invariant: .noFalseLoss, time: end, text: "\(lost) samples lost without a fault")
      ]
    }
    // A sensor that was restarted because it seemed silent produced no samples during the restart,
    // so its gap's size is an estimate.
    let silences = streams.reduce(0) { $0 + $1.gaps.count { $0.reason == .silent } }
    guard lostPacketsOnly, !wasCut, abs(lost - dropped) > Self.restartSamples * silences else {
      return []
    }
    return [
      Violation(
        invariant: .counted, time: end,
        text: "\(dropped) samples were lost, but \(lost) are counted")
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
        text: "\(stream.signal): \(Int(count)) stored or lost, \(Int(expected)) measured, "
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

  /// The boot clock's reading at the start of the trip, in seconds.
  var bootOffset: Double
}

extension Gap {
  var words: String {
    "\(lost) \(reason)\(isEstimate ? " about" : "") in \(end.seconds(since: start)) s"
  }
}
