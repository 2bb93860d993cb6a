internal import LinuxSystem
internal import Recording
internal import Values

/// Reports a position that the user entered. The report is repeated every second, so the position
/// never becomes stale.
struct FixedFeed: ~Copyable, PositionFeed {
  private let place: PositionSource.FixedPosition
  private let interval: Double
  private var next: BootTime

  init(_ place: PositionSource.FixedPosition, interval: Double = 1, at now: BootTime) {
    self.place = place
    self.interval = interval
    next = now
  }

  var state: ReceiverState { .fixed }

  var descriptor: Int32 { PollSet.nobody }

  func wait(at now: BootTime) -> Double { next.seconds(since: now) }

  mutating func work(at now: BootTime, into reports: inout [PositionReport]) {
    guard now >= next else { return }
    // Reports that were due while the computer was suspended are skipped.
    next = max(next, now.advanced(bySeconds: -interval)).advanced(bySeconds: interval)
    // The system clock may be incorrect, but this fix's time is never used to date data; see
    // `PositionSource.knowsTheTime`.
    let pair = BootClock.pair()
    reports.append(
      .fix(
        Fix(
          arrival: pair.boot, utc: pair.utc, latitude: place.latitude, longitude: place.longitude,
          altitudeMSL: place.altitudeMSL, speed: 0,
          isThreeDimensional: place.altitudeMSL != nil, quality: .manual)))
  }

  mutating func take(at now: BootTime, into reports: inout [PositionReport]) {}

  mutating func finish(into reports: inout [PositionReport]) {}

  func describe(_ status: inout ReceiverStatus) {}
}
