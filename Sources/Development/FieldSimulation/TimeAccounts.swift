internal import Recording
internal import Values

/// Checks the losses and the times of one board in a short recording, sample by sample.
struct TimeAccounts {
  /// Seconds after the first sample during which times are not checked, because the board's rate is
  /// still being estimated.
  private static let learningSeconds = 10.0
  /// Seconds around a loss during which times may be inaccurate. They become accurate when the
  /// board next sends its sample count.
  private static let lossSeconds = 1.2
  /// The accuracy in seconds that 99 % of the times in all recordings must reach.
  private static let goal = 0.001
  /// The accuracy in seconds that 99 % of the times in one stream must reach. At low packet rates,
  /// the delay between a packet and its connection event varies with a period of several seconds.
  /// This can hide an error of half a connection interval. After a link is re-established, the
  /// delay is estimated again, and the error may be a whole interval.
  private static let precision = 0.002
  private static let precisionOfBeats = 0.0075
  private static let precisionAfterLink = 0.015
  /// The packet rate, in packets per second, below which the lower accuracy `precisionOfBeats` is
  /// sufficient.
  private static let fewPackets = 60.0
  /// The tolerance for estimated losses, in samples and as a fraction.
  private static let estimateSamples = 12.0
  private static let estimatePart = 0.03
  /// Seconds before the end of the recording. If packets are lost in this time, the board's last
  /// sample count may be lost too, so the number of lost samples is estimated.
  private static let endSeconds = 1.5
  /// The minimum number of samples for which times are checked.
  private static let fewest = 100

  var air: AirLog
  var streams: [StoredStream]
  /// The number of samples lost over the air.
  var dropped: Int
  /// The time of the request to stop.
  var stoppedAt: Double
  /// The periods during which packets were lost.
  var losses: [ClosedRange<Double>]
  /// The boot clock's reading at the start of the trip, in seconds.
  var bootOffset: Double

  /// Returns the broken invariants, the number of timestamps that were checked, and the number that
  /// are accurate to a millisecond.
  func judge() -> (violations: [Violation], judged: Int, right: Int) {
    let errors = streams.indices.map(errors)
    return (
      checkLosses() + zip(streams, errors).flatMap(checkTimes),
      errors.reduce(0) { $0 + $1.count },
      errors.joined().count { abs($0.error) <= Self.goal }
    )
  }

  /// Checks that the number of samples reported as lost matches the number lost over the air.
  private func checkLosses() -> [Violation] {
    let gaps = streams.flatMap(\.gaps)
    let lost = gaps.reduce(0) { $0 + Int($1.lost) }
    let isOpen = losses.contains { $0.upperBound > stoppedAt - Self.endSeconds }
    let isEstimate = isOpen || gaps.contains(where: \.isEstimate)
    let tolerance =
      isEstimate ? Self.estimateSamples + Self.estimatePart * Double(dropped) : 0
    // Samples that a board did not measure while its link was down are also reported as lost.
    let away = gaps.filter { [.disconnected, .silent, .restarted].contains($0.reason) }
      .reduce(0) { $0 + Int($1.lost) }
    guard
      Double(lost) < Double(dropped) - tolerance
        || Double(lost - away) > Double(dropped) + tolerance
    else { return [] }
    return [
      Violation(
        invariant: .counted, time: stoppedAt,
        text: "\(dropped) samples were lost over the air, but \(lost) are counted: "
          + gaps.map(\.words).joined(separator: ", "))
    ]
  }

  private func checkTimes(
    _ stream: StoredStream, _ errors: [(time: Double, error: Double)]
  ) -> [Violation] {
    guard errors.count >= Self.fewest else { return [] }
    let isRelinked = stream.gaps.contains { $0.reason == .disconnected }
    let seconds = (errors.last?.time ?? 0) - (errors.first?.time ?? 0)
    let bar =
      isRelinked
      ? Self.precisionAfterLink
      : Double(errors.count) < Self.fewPackets * seconds
        ? Self.precisionOfBeats : Self.precision
    let wrong = errors.filter { abs($0.error) > bar }
    guard wrong.count * 100 > errors.count, let first = wrong.first,
      let worst = wrong.max(by: { abs($0.error) < abs($1.error) })
    else { return [] }
    return [
      Violation(
        invariant: .moments, time: first.time,
        text: "\(stream.signal): \(wrong.count) of \(errors.count) times are wrong, by up to "
          + "\(worst.error) s; gaps: "
          + stream.gaps.map(\.words).joined(separator: ", "))
    ]
  }

  /// Returns the errors of the checked times, minus the delay that all packets on a link share.
  /// Arrival times cannot reveal that delay.
  private func errors(of place: Int) -> [(time: Double, error: Double)] {
    let stream = streams[place]
    guard let begin = stream.arrivals.first else { return [] }
    let gaps = stream.gaps.map {
      (
        reason: $0.reason, start: Double($0.start.nanoseconds) / 1e9 - bootOffset,
        end: Double($0.end.nanoseconds) / 1e9 - bootOffset
      )
    }
    let judged = deviations(of: place).filter { time, _ in
      time > begin - bootOffset + Self.learningSeconds && time < stoppedAt - Self.lossSeconds
        && !gaps.contains {
          time > $0.start - Self.lossSeconds && time < $0.end + Self.lossSeconds
        }
    }
    let links = gaps.filter { $0.reason == .disconnected }.map(\.end).sorted()
    return Dictionary(grouping: judged) { sample in links.count { $0 < sample.time } }
      .sorted { $0.key < $1.key }
      .flatMap { _, errors in
        let common = errors.map(\.error).sorted()[errors.count / 2]
        return errors.map { ($0.time, $0.error - common) }
      }
  }

  /// For each packet, returns the seconds from the time when the board sent it to the stored time
  /// of its last sample.
  private func deviations(of wanted: Int) -> [(time: Double, error: Double)] {
    var next = Array(repeating: 0, count: streams.count)
    var found: [(time: Double, error: Double)] = []
    for sample in air.delivered {
      guard
        let place = streams.indices.first(where: {
          next[$0] < streams[$0].words.count && streams[$0].words[next[$0]] == sample.words
        })
      else { continue }
      defer { next[place] += 1 }
      guard place == wanted else { continue }
      let error = streams[place].times[next[place]] - bootOffset - sample.time
      if found.last?.time == sample.time { found.removeLast() }
      found.append((sample.time, error))
    }
    return found
  }
}
