internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Values

/// `footbridge gps`: shows a position source's output until the source ends, the time limit expires
/// or a signal arrives.
struct GPSCommand: Verb {
  /// The source of positions; `nil` to use the only source found.
  var source: PositionSource?
  /// The simulated receiver, if the command runs inside a simulation.
  var simulated: PositionSource?
  /// The serial port's speed; `nil` to detect it.
  var speed: SerialSpeed?
  /// The earliest plausible date in a file. Earlier dates are corrected for a GPS week rollover.
  /// `nil` leaves dates unchanged.
  var floor: UTCTime?
  /// The number of seconds for which to show the output; `nil` to show it until interrupted.
  var seconds: Double?
  var reportsJSON = false
  /// The store. A file next to it contains the detected speeds of receivers.
  var store: StoreLocation

  static let options: [Option<GPSCommand>] = [
    .option(
      "speed", .serialSpeed, help: "speed of the serial port (default: detected)",
      sets: \.speed),
    .option(
      "not-before", .date,
      help: "in a file, move dates before this one forward by multiples of 1,024 weeks, to "
        + "correct a GPS week rollover", sets: \.floor),
    .option(
      "seconds", .seconds(upTo: 31_536_000),
      help: "stop after N seconds, or after M:SS (default: Ctrl-C)", sets: \.seconds),
    .flag(
      "json", help: "print each fix and each state change as JSON, one object per line",
      sets: \.reportsJSON),
  ]

  static let definition = CommandDefinition<GPSCommand>(
    name: "gps", summary: "show the data of a GPS receiver",
    discussion: """
      Shows the receiver's state and position, satellites with their signal strengths, speed, \
      error, and how many sentences were accepted or rejected. If standard output is not a \
      terminal, it prints a line for each fix and each state change. Nothing is sent to the \
      receiver.

      SOURCE is a serial port such as /dev/gps0, gpsd, gpsd://HOST[:PORT][/DEVICE], file:PATH for \
      a file of sentences, or fixed:LATITUDE,LONGITUDE[,ALTITUDE]. Without SOURCE, the only \
      receiver or gpsd found is used.

      Example: footbridge gps /dev/ttyUSB0 --speed 9600
      """,
    initial: {
      GPSCommand(simulated: SimulateCommand.receiver($0), store: StoreLocation(environment: $0))
    },
    options: options, operands: [.optional(.positions, sets: \.source)])

  /// The interval between two updates of the view.
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
        // The output can no longer be written, so there is no point in reading more events.
        if console.failure != nil { events.finish() }
        try? await Task.sleep(for: Self.interval)
      }
    }
    defer { for task in tasks { task.cancel() } }
    var ending: ReceiverChange?
    var isFirst = true
    while ending == nil, let event = await events.next() {
      // The time limit starts with the first event, which reports whether the source could be
      // opened.
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

  /// Throws an error if the source sent no valid data: a user who sets a time limit wants to know
  /// whether a receiver is connected.
  private static func checkWasHeard(
    _ status: ReceiverStatus, _ source: PositionSource
  ) throws(Complaint) {
    guard status.goodSentences == 0, !status.state.isCurrent else { return }
    if let problem = status.problem { throw Complaint(problem.message, remedy: problem.remedy) }
    if case .file(let replay) = source {
      throw Complaint(
        "\(TerminalText.harmless(replay.path)) contains no valid sentences",
        remedy: "give a file with NMEA sentences")
    }
    throw Complaint(
      status.badSentences == 0
        ? "no data received from a GPS receiver at \(source)"
        : "the data from \(source) contains no valid sentences",
      remedy:
        "check the receiver's cable and power; set a non-standard speed with --speed"
    )
  }

  /// Returns the named source, or else the only source found, with the command's options applied.
  private func chosen(_ console: Console) throws(Complaint) -> PositionSource {
    // With `??`, the compiler would lose the thrown error's type.
    var source = if let named = self.source { named } else { try only(console) }
    if let floor = self.floor {
      guard case .file(var replay) = source else {
        throw .usage(
          "'--not-before' does not apply to '\(source)'",
          remedy: "leave it out, or give a file, as in file:walk.nmea", command: Self.command)
      }
      replay.floor = floor
      source = .file(replay)
    }
    if let speed = self.speed {
      guard case .serial(let path, nil) = source else {
        throw .usage(
          "'--speed' does not apply to '\(source)'",
          remedy: "leave it out, or give a serial port without a speed", command: Self.command)
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
        remedy: "plug one in, or specify its port, as in 'footbridge gps /dev/ttyUSB0'"
          + (SerialPort.remedyForPins(tree).map { "; for a receiver on the GPIO pins, \($0)" } ?? "")
      )
    }
    guard found.count == 1 else {
      throw Complaint(
        "found \(found.count) position sources",
        remedy: "choose one of them:\n" + found.map { "  \($0)" }.joined(separator: "\n"),
        status: .usage)
    }
    console.notice("GPS receiver found", ["source": first.description])
    return first
  }
}
