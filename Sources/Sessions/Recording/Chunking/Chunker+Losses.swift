internal import Values

/// Detects losses from the board's count, from timing, and from jumps in the sample numbers.
extension Chunker {
  /// Processes the board's own count of this stream's samples, which arrives in sequence with its
  /// packets. Samples that the count shows to be missing are counted as lost, and all later sample
  /// numbers are raised.
  ///
  /// `Reading.Kind.tally` describes the fields of the reading.
  public mutating func tally(_ reading: Reading) {
    settle(numbers.believe())
    guard stream.isTallied else { return tallyEnd(reading) }
    if last == nil, reading.x != 0 {
      // Samples before this count do not belong to any session.
      if reading.x > 0 {
        tally.begin(
          BoardTally.Count(
            made: reading.counter, received: UInt32(reading.x), arrival: reading.arrival))
      }
      return
    }
    // The first count of a new numbering may arrive before the first sample of that numbering.
    if isRestarting, reading.x >= 0 { beginCount(before: UInt32(reading.x), at: reading.arrival) }
    // If the reader thread no longer knows how many samples arrived over an earlier link, derive
    // the number from this stream's sample numbers.
    let known = UInt32(truncatingIfNeeded: noted.values.reduce(0, +) - notedByTally)
    let received =
      reading.x >= 0 ? UInt32(reading.x) : (tally.raw.map { $0 &+ 1 } ?? 0) &+ known
    let (before, packets) = (tally.before, tally.packets)
    let missing = tally.take(
      BoardTally.Count(made: reading.counter, received: received, arrival: reading.arrival))
    guard missing > 0 else { return }
    let start = before ?? packets.first?.arrival ?? last?.arrival ?? reading.arrival
    place(
      missing, among: packets, from: start, to: reading.arrival, isEnd: reading.x < 0)
  }

  /// Processes the final count of a stream with numbered packets. The numbers show every loss
  /// except a loss after the last sample.
  private mutating func tallyEnd(_ reading: Reading) {
    guard stream.lossAccounting == .counted, !isRestarting, let last, let raw = tally.raw
    else { return }
    let missing = tally.takeLast(
      BoardTally.Count(made: reading.counter, received: raw &+ 1, arrival: reading.arrival),
      after: last.arrival)
    // Some of the missing samples may already have been counted as lost.
    let known = noted.values.reduce(0, +)
    noted[reasonOfJump, default: 0] += UInt64(missing) - min(UInt64(missing), known)
  }

  /// Restarts the board's count unless `number` is higher than the number of the last sample. A
  /// higher number means that only the sensor was restarted and the board has continued to count.
  mutating func beginCount(before number: UInt32, at arrival: BootTime) {
    guard !hasBegunCount, tally.raw.map({ number <= $0 }) ?? (number == 0) else { return }
    tally.restart(at: arrival)
    hasBegunCount = true
  }

  private mutating func place(
    _ missing: UInt32, among packets: [LossPlaces.Packet], from start: BootTime, to end: BootTime,
    isEnd: Bool
  ) {
    let lateness = packets.map { packet in
      clock.time(of: packet.number).map {
        Double(packet.arrival.nanoseconds &- $0.nanoseconds)
      } ?? 0
    }
    let arrivals = [start] + packets.map(\.arrival) + [end]
    let pauses = zip(arrivals, arrivals.dropFirst()).map { Double($1.nanoseconds - $0.nanoseconds) }
    let losses = LossPlaces(
      missing, among: packets, lateness: lateness, pauses: pauses, period: clock.period,
      isEnd: isEnd)
    // The estimator may be about to find the same loss.
    estimator = LossEstimator(stream)
    for place in losses.places {
      offset &+= place.samples
      let loss = LossEstimator.Loss(
        samples: place.samples, start: arrivals[place.position],
        end: arrivals[place.position + 1])
      if place.position == packets.count {
        // The next sample, or the end of the stream, closes this gap.
        noted[reasonOfJump, default: 0] += UInt64(place.samples)
        notedByTally += UInt64(place.samples)
      } else {
        add(UInt64(loss.samples), .link, loss.start, loss.end, isEstimate: false)
        renumber(behind: loss)
      }
    }
  }

  /// Returns the number of samples that were lost according to the packet timing. Raises the
  /// numbers of all later samples; the caller must add the result to this sample's number.
  mutating func inferLoss(before reading: Reading, counter: UInt32) -> UInt32 {
    var time = reading.arrival.nanoseconds
    if stream.hasBoardTicks {
      let tick = UInt32(bitPattern: reading.w)
      let ticks = boardTicks ?? (tick, 0)
      let elapsed = ticks.elapsed + Int64(Int32(bitPattern: tick &- ticks.latest))
      boardTicks = (tick, elapsed)
      time = Int64((Double(elapsed) * StreamDescription.secondsPerBoardTick * 1e9).rounded())
    }
    let loss = estimator?.observe(number: counter, time: time, arrival: reading.arrival)
    guard let loss else { return 0 }
    guard !tally.isAlive else {
      // The board's own count is more accurate than a loss inferred from timing. The estimator has
      // already raised its own sample numbers, so a new estimator is needed.
      estimator = LossEstimator(stream)
      return 0
    }
    tally.note(lost: loss.samples)
    offset &+= loss.samples
    renumber(behind: loss)
    add(UInt64(loss.samples), .link, loss.start, loss.end, isEstimate: true)
    return loss.samples
  }

  /// Raises the numbers of the samples in the open chunk that arrived after a newly detected loss.
  /// Samples in earlier chunks keep their numbers, so the numbers jump at the chunk boundary.
  mutating func renumber(behind loss: LossEstimator.Loss) {
    clock.renumber(from: loss.end, by: loss.samples)
    guard let last, last.arrival >= loss.end else { return }
    self.last = (last.counter &+ loss.samples, last.arrival)
    var row = arrivals.count
    while row > 0, arrivals[row - 1] >= loss.end {
      row -= 1
      counters[row] &+= loss.samples
    }
  }

  /// Counts the samples that were certainly lost during a silence since the board's last report.
  /// This must happen before the open chunk is sealed, because its sample times then become final.
  /// The next report reveals the remaining losses. If no report arrives, a few samples may remain
  /// uncounted, so the number is an estimate.
  mutating func anticipateCount() {
    guard stream.isTallied, tally.isAlive, !tally.isUpToDate, !isRestarting,
      let loss = estimator?.lossOfSilence(isAway: false, less: SilenceWatch.leastDrop),
      tally.holds(loss.end)
    else { return }
    tally.note(lost: loss.samples)
    tally.renumber(from: loss.end, by: loss.samples)
    offset &+= loss.samples
    renumber(behind: loss)
    add(UInt64(loss.samples), .link, loss.start, loss.end, isEstimate: true)
    estimator = LossEstimator(stream)
  }

  /// Starts observing packet lateness after a pause. According to the packet numbers, no packets
  /// were lost during the pause.
  mutating func watchPause(after last: (counter: UInt32, arrival: BootTime), until end: BootTime) {
    hang = clock.time(of: last.counter).map { time in
      HangWatch(
        from: last.arrival, to: end, after: last.counter, at: time, period: clock.period)
    }
  }

  /// Counts the samples that the board did not take during a pause, and raises all later sample
  /// numbers accordingly. Returns the count.
  mutating func count(hang samples: UInt32) -> UInt32 {
    guard let ended = hang.take(), samples > 0 else { return 0 }
    let loss = LossEstimator.Loss(samples: samples, start: ended.start, end: ended.end)
    offset &+= samples
    renumber(behind: loss)
    estimator = LossEstimator(stream)
    add(UInt64(samples), .silent, loss.start, loss.end, isEstimate: true)
    return samples
  }

  /// Uses the samples after a pause to determine whether the board took samples during the pause.
  /// No further samples of this numbering will arrive.
  mutating func settleHang() {
    if let last, let samples = hang?.last(at: last.arrival) { _ = count(hang: samples) }
  }

  /// Counts the samples that were lost according to the packet timing, in a numbering that has
  /// ended.
  mutating func settleEstimate(isAway: Bool = false) -> LossEstimator.Loss? {
    defer { estimator = LossEstimator(stream) }
    guard !tally.isUpToDate, let loss = estimator?.finish(isAway: isAway || absence != nil)
    else { return nil }
    tally.note(lost: loss.samples)
    add(UInt64(loss.samples), .link, loss.start, loss.end, isEstimate: true)
    return loss
  }

  mutating func closeGap(
    missing: UInt64, isCounted: Bool, from start: BootTime, to end: BootTime, isEstimate: Bool
  ) {
    // Usually, no samples are missing. Return early, since this code runs for each sample.
    if missing == 0, noted.isEmpty {
      reasonOfJump = .link
      return
    }
    var unexplained = missing
    for reason in LossReason.allCases {
      guard var count = noted[reason] else { continue }
      // A malformed packet may belong to another stream. In that case, this stream's numbers have
      // no gap.
      if isCounted, reason == .malformed { count = min(count, unexplained) }
      add(count, reason, start, end, isEstimate: stream.lossAccounting == .estimated)
      unexplained -= min(count, unexplained)
    }
    add(unexplained, reasonOfJump, start, end, isEstimate: isEstimate)
    noted.removeAll(keepingCapacity: true)
    notedByTally = 0
    reasonOfJump = .link
  }

  mutating func add(
    _ count: UInt64, _ reason: LossReason, _ start: BootTime, _ end: BootTime, isEstimate: Bool
  ) {
    guard count > 0 else { return }
    lost[reason, default: 0] += count
    if isEstimate { estimatedLoss += count }
    let gap = Gap(start: start, end: end, lost: count, isEstimate: isEstimate, reason: reason)
    if pause == nil { gaps.append(gap) } else { pause?.add(gap) }
  }

  /// Ends the gap formed by skipped samples, if there is one.
  mutating func endPause(at end: BootTime) {
    guard let ended = pause else { return }
    pause = nil
    gaps += ended.gaps(until: end)
  }
}
