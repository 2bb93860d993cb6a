internal import LinuxSystem
internal import Positioning
internal import Values

/// Body of `footbridge gps`: listens to a source to its end, to the end of the time, or to a
/// signal.
enum GPSRun {
  /// How often the view is brought up to date.
  private static let interval = Duration.milliseconds(200)

  static let body: Commands.Body<GPSConfiguration> = { configuration, console in
    let source = try chosen(configuration, console)
    if let obstacle = source.obstacle {
      throw Complaint(obstacle.message, remedy: obstacle.remedy)
    }
    let paints = console.isTerminal && !configuration.reportsJSON && console.level > .quiet
    let signals = Signals(console)
    let began = BootClock.now()
    let events = EventQueue<ReceiverEvent>()
    let memory = (try? configuration.store.speedMemory()).map { SpeedMemory(path: $0) }
    let receiver = try ReceiverThread(source, memory: memory, reports: nil, recorder: nil) {
      events.post($0)
    }
    defer { receiver.stop() }
    var tasks = [
      Task {
        await signals.wait()
        events.finish()
      }
    ]
    let output = LiveOutput(on: console)
    let show = Task {
      while !Task.isCancelled {
        if paints {
          let status = receiver.status
          console.paint(
            ReceiverView(source).lines(status, now: BootClock.now(), width: console.width))
        }
        // Output has failed: further events would reach no reader.
        if console.failure != nil { events.finish() }
        try? await Task.sleep(for: interval)
      }
    }
    defer { for task in tasks { task.cancel() } }
    var ending: ReceiverChange?
    var isFirst = true
    while ending == nil, let event = await events.next() {
      // Its time begins when the source was tried, which it tells.
      if isFirst, let seconds = configuration.seconds {
        tasks.append(
          Task {
            try? await Task.sleep(for: .seconds(seconds))
            events.finish()
          })
      }
      isFirst = false
      if !paints {
        output.take([
          configuration.reportsJSON
            ? ReceiverText.json(event, since: began).text : ReceiverText.line(event, of: source)
        ])
      }
      if case .change(let change) = event, change.state == .ended { ending = change }
    }
    show.cancel()
    await show.value
    if let failure = console.failure { throw failure }
    console.finishPainting()
    try output.finish()
    if let problem = ending?.problem {
      throw Complaint(problem.message, remedy: problem.remedy)
    }
    if signals.status == .ok { try checkWasHeard(receiver.status, source) }
    return signals.status
  }

  /// A user who lets it run for a time wants to know whether there is a receiver.
  private static func checkWasHeard(
    _ status: ReceiverStatus, _ source: PositionSource
  ) throws(Complaint) {
    guard status.goodSentences == 0, !status.state.isCurrent else { return }
    if let problem = status.problem { throw Complaint(problem.message, remedy: problem.remedy) }
    throw Complaint(
      status.badSentences == 0
        ? "no data came from a GPS receiver at \(source)"
        : "the data from \(source) was not understood",
      remedy: "check its plug and its power, and give its speed with --speed if it is unusual")
  }

  /// The source that was named or else the only one there is, with what was said of it.
  private static func chosen(
    _ configuration: GPSConfiguration, _ console: Console
  ) throws(Complaint) -> PositionSource {
    // `??` would lose the type of what is thrown.
    var source = if let named = configuration.source { named } else { try only(console) }
    if let floor = configuration.floor {
      guard case .file(var replay) = source else {
        throw .usage(
          "'--not-before' does not apply to '\(source)'",
          remedy: "leave it out, or name a file as in file:walk.nmea", command: command)
      }
      replay.floor = floor
      source = .file(replay)
    }
    if let speed = configuration.speed {
      guard case .serial(let path, nil) = source else {
        throw .usage(
          "'--speed' does not apply to '\(source)'",
          remedy: "leave it out, or name a serial port without a speed", command: command)
      }
      source = .serial(path, speed: speed)
    }
    return source
  }

  private static let command = "\(Version.program) gps"

  private static func only(_ console: Console) throws(Complaint) -> PositionSource {
    let found = SourceCandidates.found()
    guard let first = found.first else {
      throw Complaint(
        "cannot find a GPS receiver",
        remedy: "plug one in, or name it, as in 'footbridge gps /dev/ttyUSB0'")
    }
    guard found.count == 1 else {
      throw Complaint(
        "found \(found.count) sources of positions",
        remedy: "name one of them:\n" + found.map { "  \($0)" }.joined(separator: "\n"),
        status: .usage)
    }
    console.notice("GPS receiver found", ["source": first.description])
    return first
  }
}
