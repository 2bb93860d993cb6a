internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge gps`: listens to a source to its end, to the end of the time, or to a
/// signal.
struct GPSCommand: Verb {
  /// Where positions come from; `nil` for the only source there is.
  var source: PositionSource?
  /// The receiver of the simulation in which it runs.
  var simulated: PositionSource?
  /// The speed of a serial port; `nil` to look for it.
  var speed: SerialSpeed?
  /// Dates in a file before it are taken for a wrapped week; `nil` to leave them as they are.
  var floor: UTCTime?
  /// Length of the view; `nil` until it is interrupted.
  var seconds: Double?
  /// Whether fixes and states are JSON instead of text.
  var reportsJSON = false
  /// The store beside which the speeds of receivers are kept.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<GPSCommand>] = [
    .option(
      "speed", .serialSpeed, help: "speed of the serial port (default: it is looked for)",
      sets: \.speed),
    .option(
      "not-before", .date,
      help: "take dates in a file before this one for a wrapped week, and add 1,024 weeks until "
        + "they are not", sets: \.floor),
    .option(
      "seconds", .seconds(upTo: 31_536_000),
      help: "stop after so many seconds, or as in 1:30, instead of at Ctrl-C", sets: \.seconds),
    .flag(
      "json", help: "print each fix and each change of the state as a JSON object on a line",
      sets: \.reportsJSON),
  ]

  static let definition = CommandDefinition<GPSCommand>(
    name: "gps", summary: "show the data of a GPS receiver",
    discussion: """
      Shows state and position, satellites with the strength of their signals, speed, error, \
      and how many sentences were accepted or rejected; where standard output is no terminal, prints a line \
      for each fix and each change of the state. Nothing is sent to the receiver.

      SOURCE is a serial port such as /dev/gps0, gpsd, gpsd://HOST[:PORT][/DEVICE], \
      file:PATH of a file of sentences, or fixed:LATITUDE,LONGITUDE[,ALTITUDE]. Without it, \
      the only receiver or gpsd that is found is used.

      Example: footbridge gps /dev/ttyUSB0 --speed 9600
      """,
    initial: {
      GPSCommand(simulated: SimulateCommand.receiver($0), store: StoreLocation(environment: $0))
    },
    options: options, operands: [.optional(.positions, sets: \.source)])

  /// How often the view is brought up to date.
  private static let interval = Duration.milliseconds(200)

  func run(_ console: Console) async throws -> ExitStatus {
    let source = try chosen(console)
    if let obstacle = source.obstacle {
      throw Complaint(obstacle.message, remedy: obstacle.remedy)
    }
    let paints = console.isTerminal && !reportsJSON && console.level > .quiet
    let signals = Signals(console)
    let began = BootClock.now()
    let events = EventQueue<ReceiverEvent>()
    let memory = (try? store.speedMemory()).map { SpeedMemory(path: $0) }
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
        try? await Task.sleep(for: Self.interval)
      }
    }
    defer { for task in tasks { task.cancel() } }
    var ending: ReceiverChange?
    var isFirst = true
    while ending == nil, let event = await events.next() {
      // Its time begins when the source was tried, which it tells.
      if isFirst, let seconds = self.seconds {
        tasks.append(
          Task {
            try? await Pause.seconds(seconds)
            events.finish()
          })
      }
      isFirst = false
      if !paints {
        output.take([
          reportsJSON
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
    if signals.status == .ok { try Self.checkWasHeard(receiver.status, source) }
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
  private func chosen(_ console: Console) throws(Complaint) -> PositionSource {
    // `??` would lose the type of what is thrown.
    var source = if let named = self.source { named } else { try only(console) }
    if let floor = self.floor {
      guard case .file(var replay) = source else {
        throw .usage(
          "'--not-before' does not apply to '\(source)'",
          remedy: "leave it out, or name a file as in file:walk.nmea", command: Self.command)
      }
      replay.floor = floor
      source = .file(replay)
    }
    if let speed = self.speed {
      guard case .serial(let path, nil) = source else {
        throw .usage(
          "'--speed' does not apply to '\(source)'",
          remedy: "leave it out, or name a serial port without a speed", command: Self.command)
      }
      source = .serial(path, speed: speed)
    }
    return source
  }

  private static let command = "\(Version.program) gps"

  private func only(_ console: Console) throws(Complaint) -> PositionSource {
    let tree = SystemTree()
    let found =
      simulated.map { [$0] } ?? SourceCandidates.found(orElse: OnboardPort.harmlessNames(tree))
    guard let first = found.first else {
      throw Complaint(
        "cannot find a GPS receiver",
        remedy: "plug one in, or name it, as in 'footbridge gps /dev/ttyUSB0'"
          + (SerialPort.remedyForPins(tree).map { "; for one on the pins, \($0)" } ?? ""))
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
