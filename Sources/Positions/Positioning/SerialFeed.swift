internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

/// Reads a receiver on a serial port: keeps the port open and finds its line speed.
struct SerialFeed: ~Copyable, PositionFeed {
  /// The port to read and the speed to use.
  struct Configuration: Sendable {
    /// A path, a symbolic link or a pattern, resolved each time the port is opened.
    var path: String
    /// The line speed, or `nil` to search for it.
    var speed: SerialSpeed?
    var floor = WeekRollover.liveFloor
    var timing = ReceiverWatch.Timing()
    var hunting = SpeedHunt.Timing()
    /// The file that stores the line speeds found, or `nil` to store none.
    var memory: SpeedMemory?
  }

  private let configuration: Configuration
  private var watch: ReceiverWatch
  private var hunt: SpeedHunt
  private var reader: NMEAReader
  private var tally = SentenceTally()
  private var line: SerialLine?
  private var path: String?
  private var problem: ReceiverProblem?
  /// The satellites in view. Updated only at the end of each epoch, not in every round, because a
  /// round handles just a few bytes.
  private var sky = Sky()
  // This buffer is ample: even at 115,200 baud, which is 11,520 bytes per second, a round handles
  // just a few bytes.
  private var buffer = [UInt8](repeating: 0, count: 4_096)

  init(_ configuration: Configuration, at now: BootTime) {
    self.configuration = configuration
    watch = ReceiverWatch(timing: configuration.timing, at: now)
    hunt = SpeedHunt(only: configuration.speed)
    reader = NMEAReader(floor: configuration.floor)
  }

  var state: ReceiverState { watch.state }

  // A `switch` is used because optional chaining would consume the serial line, which cannot be
  // copied.
  var descriptor: Int32 {
    switch line {
    case .some(let line): line.number
    case nil: PollSet.nobody
    }
  }

  func wait(at now: BootTime) -> Double {
    let change = line == nil ? nil : hunt.due?.seconds(since: now)
    return min(watch.wait(at: now), change ?? .infinity)
  }

  mutating func work(at now: BootTime, into reports: inout [PositionReport]) {
    if line != nil, let speed = hunt.next(at: now) { change(to: speed, into: &reports) }
    watch.isHunting = hunt.isHunting
    while let action = watch.next(at: now) {
      switch action {
      case .open: open(at: now, into: &reports)
      case .flush: finish(into: &reports)
      case .checkName:
        if line?.isStillNamed != true { lose(problem: nil, into: &reports) }
      }
    }
  }

  /// Reads all available bytes immediately, so that their timestamp is the time of their arrival.
  mutating func take(at now: BootTime, into reports: inout [PositionReport]) {
    while let count = line?.read(into: &buffer) {
      guard count > 0 else {
        if !SerialLine.isNothingYet(count) { lose(problem: nil, into: &reports) }
        return
      }
      let bytes = Array(buffer[..<count])
      let known = reports.count
      let before = reader.counts.accepted + reader.counts.ignored
      reader.receive(bytes.span, at: now) { reports.append($0) }
      let hasSentence = reader.counts.accepted + reader.counts.ignored > before
      let wasFound = hunt.hasFound
      hunt.heard(bytes: count, hasSentence: hasSentence, at: now)
      if hunt.hasFound, !wasFound { remember() }
      watch.heard(at: now, hasSentence: hasSentence)
      note(reports[known...], at: now)
      // A short read means that no more bytes are available.
      if count < buffer.count { return }
    }
  }

  mutating func finish(into reports: inout [PositionReport]) {
    let known = reports.count
    reader.flush { reports.append($0) }
    note(reports[known...], at: BootClock.now())
  }

  private mutating func note(_ reports: ArraySlice<PositionReport>, at now: BootTime) {
    guard !reports.isEmpty else { return }
    for report in reports { watch.reported(report, at: now) }
    sky = reader.sky
  }

  func describe(_ status: inout ReceiverStatus) {
    tally.describe(&status, with: reader.counts)
    status.addedEras = reader.addedEras
    status.time = reader.time
    status.sky = sky
    status.device = path
    status.speed = path == nil ? nil : hunt.speed
    status.isSpeedFound = path != nil && !hunt.isTrying
    status.problem = problem
  }

  // MARK: Port

  private mutating func open(at now: BootTime, into reports: inout [PositionReport]) {
    // If several paths match the pattern, the first one by name is used.
    let path =
      PathPattern.isPattern(configuration.path)
      ? PathPattern.matches(configuration.path).first ?? configuration.path : configuration.path
    do throws(SystemError) {
      let line = try SerialLine(path: path, speed: configuration.speed)
      if !line.hasSpeed {
        hunt = SpeedHunt(only: nil)
      } else if let speed = configuration.speed {
        hunt = SpeedHunt(only: speed)
      } else {
        let known = [configuration.memory?.speed(of: path), line.speed].compactMap { $0 }
        hunt = SpeedHunt(first: known, timing: configuration.hunting, at: now)
      }
      self.line = consume line
      self.path = path
      // The line's current speed may differ from the first speed to try, or may be a speed that no
      // receiver uses.
      if let speed = hunt.speed { try self.line?.change(to: speed) }
      // Another receiver may be connected now, so the date and cycle learned from the previous one
      // are invalid.
      tally.close(reader.counts)
      reader = NMEAReader(floor: configuration.floor)
      sky = Sky()
      watch.opened(at: now)
      watch.isHunting = hunt.isHunting
      problem = nil
    } catch {
      lose(problem: .port(error, at: path, hasDaemon: DaemonProbe.answers), into: &reports)
    }
  }

  private mutating func change(to speed: SerialSpeed, into reports: inout [PositionReport]) {
    do throws(SystemError) {
      try line?.change(to: speed)
    } catch {
      let path = path ?? configuration.path
      lose(problem: .port(error, at: path, hasDaemon: { false }), into: &reports)
    }
  }

  private mutating func lose(problem: ReceiverProblem?, into reports: inout [PositionReport]) {
    finish(into: &reports)
    line = nil
    path = nil
    watch.lost(at: BootClock.now())
    self.problem = problem
  }

  private func remember() {
    guard let memory = configuration.memory, let path, let speed = hunt.speed else { return }
    memory.note(speed, of: path)
  }
}
