internal import LinuxSystem
public import MetaWearProtocol

/// Uses a link to a board without streaming: reads the board's identity, sends commands, and waits
/// for activity.
///
/// Call `open` first. Call `leave` last; it closes the link.
public actor BoardVisit {
  private static let answerSeconds = 1.0
  /// Seconds of silence after which a watched board is pinged. The board must then respond within
  /// `patienceSeconds`.
  private static let quietSeconds = 30.0
  private static let patienceSeconds = 5.0

  private enum Event: Sendable {
    case packet([UInt8])
    case hungUp
    case timeout(Int)
  }

  private let link: any Link
  private let reader: ReaderThread
  private let events = EventQueue<Event>()
  private var information: DeviceInformation?
  private var waits = 0
  private var hasHungUp = false
  /// The board's number in the reader. The reader serves no other board.
  private let number: UInt16 = 0

  /// `reader` must serve no other board.
  public init(link: any Link, reader: ReaderThread) {
    self.link = link
    self.reader = reader
  }

  /// Opens the visit: reads the board's device information and enables its notifications.
  public func open() async throws {
    information = try await link.readInformation()
    let descriptor = try await link.subscribe()
    reader.attach(number, descriptor) { [events] event in
      switch event {
      case .packet(let bytes), .malformed(let bytes): events.post(.packet(bytes))
      case .hungUp: events.post(.hungUp)
      }
    }
  }

  /// Queries all the board's modules and its battery.
  public func identify() async throws -> BoardProfile {
    try await survey(BoardSurvey(ModuleID.allCases, andBattery: true))
  }

  /// Queries only these modules of the board. The settings module is always included.
  public func modules(among modules: [ModuleID]) async throws -> ModuleTable {
    try await survey(BoardSurvey(modules, andBattery: false)).modules
  }

  /// Returns when the board has received the commands.
  public func perform(_ commands: [Command]) async throws {
    for (index, command) in commands.enumerated() {
      try await link.write(command, acknowledged: index == commands.count - 1)
    }
  }

  /// Returns the next activity that the board's own detector reports, or `nil` when the link is
  /// down.
  ///
  /// A board may send no data for hours while its wearer rests, so it is pinged periodically. If
  /// the board does not respond, the call throws `BoardFailure.silent`.
  public func nextActivity(
    by modules: ModuleTable
  ) async throws -> AccelerometerEvent.Activity? {
    var isAsked = false
    var timer = wait(Self.quietSeconds)
    defer { timer.cancel() }
    while let event = await events.next() {
      switch event {
      case .packet(let bytes):
        isAsked = false
        timer.cancel()
        timer = wait(Self.quietSeconds)
        if case .accelerometerEvent(.activity(let activity)) =
          try? Notification(decoding: bytes.span, from: modules)
        {
          return activity
        }
      case .hungUp:
        hasHungUp = true
        return nil
      case .timeout(waits):
        guard !isAsked else { throw BoardFailure.silent }
        isAsked = true
        timer.cancel()
        timer = wait(Self.patienceSeconds)
        try await link.write(.readModuleInfo(.accelerometer), acknowledged: false)
      case .timeout: continue
      }
    }
    throw CancellationError()
  }

  /// Restarts the board and waits for the link to close. Returns `true` if it closed in time.
  public func reset(within seconds: Double) async throws -> Bool {
    // The command is sent without acknowledgement, because the board resets before it can respond.
    try await link.write(Debug.reset.command, acknowledged: false)
    let timer = wait(seconds)
    defer { timer.cancel() }
    while let event = await events.next() {
      switch event {
      case .hungUp:
        hasHungUp = true
        return true
      case .timeout(waits): return false
      case .timeout, .packet: continue
      }
    }
    throw CancellationError()
  }

  public func leave() async {
    events.finish()
    _ = await reader.detach(number)
    await link.disconnect(hasHungUp: hasHungUp)
  }

  private func survey(_ survey: BoardSurvey) async throws -> BoardProfile {
    var survey = survey
    var step = survey.begin()
    while case .ask(let commands) = step {
      for command in commands { try await link.write(command, acknowledged: false) }
      step = try await answer(to: &survey)
    }
    guard step == .finished else { throw BoardFailure.silent }
    return BoardProfile(
      model: Model(number: information?.modelNumber ?? "", modules: survey.modules),
      firmware: information?.firmware ?? "", modules: survey.modules, battery: survey.battery)
  }

  private func answer(to survey: inout BoardSurvey) async throws -> BoardSurvey.Step {
    let timer = wait(Self.answerSeconds)
    defer { timer.cancel() }
    while let event = await events.next() {
      switch event {
      case .packet(let bytes):
        if let step = survey.take(bytes) { return step }
      case .timeout(waits): return survey.timeout()
      case .timeout: continue
      case .hungUp:
        hasHungUp = true
        throw BoardFailure.linkLost
      }
    }
    throw CancellationError()
  }

  /// Posts a timeout after this many seconds. The timeout is numbered and is ignored once the next
  /// wait has started.
  private func wait(_ seconds: Double) -> Task<Void, Never> {
    waits += 1
    return Task { [events, waits] in
      try? await Pause.seconds(seconds)
      if !Task.isCancelled { events.post(.timeout(waits)) }
    }
  }
}

/// The identity that a board reports: its model, firmware, modules and battery.
public struct BoardProfile: Sendable {
  public var model: Model
  /// Firmware revision, such as `1.7.2`.
  public var firmware: String
  public var modules: ModuleTable
  /// State of the board's battery, or `nil` if the board does not report it.
  public var battery: Battery?

  public init(model: Model, firmware: String, modules: ModuleTable, battery: Battery? = nil) {
    self.model = model
    self.firmware = firmware
    self.modules = modules
    self.battery = battery
  }
}
