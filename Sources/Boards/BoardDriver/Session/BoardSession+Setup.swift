internal import MetaWearProtocol
internal import Recording

/// The steps that set up a board for streaming over a new link.
extension BoardSession {
  /// The steps after the modules have been identified. The `clear` step inserts the steps for each
  /// stream.
  private var setupSteps: [SetupStep] {
    (modules.has(.logging) ? [.readClock] : [])
      + formerCounters.keys.sorted().map { .recount($0) } + [.clear]
  }

  /// Saves the ids of the processors that counted samples on the lost link. If the sensors never
  /// ran on that link, the ids saved for an earlier link are kept.
  mutating func noteCounters() {
    guard hasRunOnLink else { return }
    hasRunOnLink = false
    formerCounts = [:]
    for (index, stream) in streams.enumerated() { formerCounters[index] = stream.counter }
  }

  /// Sets up the board from the first step, or from `setupSteps` if its modules are already known.
  mutating func setUp() -> [Action] {
    guard isIdentified else {
      modules = ModuleTable()
      return enter(SetupStep.identification)
    }
    return askForPace() + enter(setupSteps)
  }

  /// Makes the board request the preferred pace and a longer timeout, once it is known whether the
  /// board can request parameters.
  private mutating func askForPace() -> [Action] {
    tune(.identified(canAsk: modules.has(.settings, revision: 1)))
  }

  private mutating func enter(_ list: [SetupStep]) -> [Action] {
    steps = list
    isArmed = false
    return enter(0)
  }

  private mutating func enter(_ position: Int) -> [Action] {
    guard position < steps.count else { return complete() }
    state = .working(position)
    attempt = 1
    return perform(position)
  }

  /// Writes a step's commands and waits for the response, if the step expects one.
  private mutating func perform(_ position: Int) -> [Action] {
    switch steps[position] {
    case .identify(let module):
      // Some firmware does not respond if the module is missing. The second attempt therefore also
      // queries a module that does respond.
      let witness = attempt > 1 && position > 0 ? [SetupStep.order[0]] : []
      return question(([module] + witness).map { .readModuleInfo($0) })
    case .readClock: return question([Logging.readTime])
    case .recount(let index):
      // A board that restarts loses its counters.
      guard !isRebooted, let counter = formerCounters[index] else { return enter(position + 1) }
      return question([DataProcessor.readState(counter, isSilent: false).command])
    case .clear: return clear(position)
    case .configure(let index): return configure(index, at: position)
    case .pack(let index): return question([streams[index].packing.command])
    case .stamp(let index): return question([streams[index].stamping.command])
    case .count(let index): return question([streams[index].counting.command])
    case .time(let index):
      let milliseconds = (1_000 * streams[index].pollSeconds).rounded()
      return question([Timer.create(periodMilliseconds: UInt32(milliseconds)).command])
    case .ask(let index):
      guard let timer = streams[index].timer, let poll = streams[index].setup.poll else {
        return enter(position + 1)
      }
      return question(MetaWearProtocol.Event.record(poll, when: .timer(timer)))
    case .arm(let command):
      return question(MetaWearProtocol.Event.record(command, when: .disconnect))
    }
  }

  private func question(_ commands: [Command]) -> [Action] {
    writes(commands) + [.wait(seconds: Self.answerSeconds)]
  }

  // MARK: Answers

  /// Handles a notification that responds to the step at this position. Returns `nil` for any other
  /// notification.
  mutating func accept(
    _ notification: Notification, _ bytes: [UInt8], at position: Int
  ) -> [Action]? {
    switch (steps[position], notification) {
    case (.identify(let module), .moduleInfo(let found, let info)) where found == module:
      return identified(module, info, bytes, at: position)
    case (.identify, .moduleInfo(SetupStep.order[0], _)) where attempt > 1:
      // The board responds in order, so a response from this module, which was queried later, means
      // that the awaited module will not respond.
      return enterAfterIdentifying(position)
    case (.readClock, .timeReference(let found)):
      note(found)
      return enter(position + 1)
    case (.recount(let index), .processorState(let counter, let bytes))
    where counter == formerCounters[index] && bytes.count == 4:
      formerCounts[index] = bytes.span.uint32(at: 0)
      return enter(position + 1)
    case (.configure(let index), _):
      guard let check = streams[index].setup.check, bytes.starts(with: check.answer.prefix(2))
      else { return nil }
      return bytes.starts(with: check.answer) ? enter(position + 1) : refused(index, at: position)
    case (let step, .created(let module, let id)) where step.isCreation:
      return created(module, id, at: position)
    case (let step, .timeReference) where step.isCreation && attempt > 1:
      // This is the response to the read sent after the creation command, so the new object's id
      // can no longer arrive.
      return notCreated(at: position)
    default:
      return nil
    }
  }

  private mutating func created(
    _ module: ModuleID, _ id: UInt8, at position: Int
  ) -> [Action]? {
    // If the id was already assigned, this is a repeated response.
    guard givenIDs.insert(GivenID(module: module, id: id)).inserted else { return nil }
    switch (steps[position], module) {
    case (.pack(let index), .dataProcessor): streams[index].packer = id
    case (.stamp(let index), .dataProcessor): streams[index].processor = id
    case (.count(let index), .dataProcessor): streams[index].counter = id
    case (.time(let index), .timer): streams[index].timer = id
    case (.ask, .event), (.arm, .event): break
    default: return nil
    }
    return enter(position + 1)
  }

  /// Handles the end of a wait without a response, by repeating the step or giving up.
  mutating func retry(_ position: Int) -> [Action] {
    // After `clear`, no response is expected: the wait only lets the sensors settle.
    if steps[position] == .clear { return enter(position + 1) }
    if case .recount = steps[position] { return enter(position + 1) }
    if attempt < Self.attempts {
      attempt += 1
      guard steps[position].isCreation else { return perform(position) }
      // Do not repeat the command: a second object would remain unused on the board. Send a read
      // instead. The board responds in order, so if the response to the read arrives first, the
      // board will not send an id.
      return modules.has(.logging) ? ping() : notCreated(at: position)
    }
    if steps[position] == .readClock { return enter(position + 1) }
    return relink(because: .silent)
  }

  // MARK: Identifying

  private mutating func identified(
    _ module: ModuleID, _ info: ModuleInfo?, _ bytes: [UInt8], at position: Int
  ) -> [Action] {
    modules[module] = info
    if modules.isContradictory(module) { diagnosis.note(.contradiction, bytes) }
    return (module == .settings ? askForPace() : []) + enterAfterIdentifying(position)
  }

  private mutating func enterAfterIdentifying(_ position: Int) -> [Action] {
    if position + 1 < steps.count { return enter(position + 1) }
    isIdentified = true
    return enter(setupSteps)
  }

  /// Saves a reading of the board's clock. After a reset, the board reports a different uid or an
  /// earlier time.
  private mutating func note(_ found: TimeReference) {
    if let clock {
      let hasGoneBack = Int32(bitPattern: found.tick &- clock.tick) < 0
      if found.resetUID != clock.resetUID || hasGoneBack { isRebooted = true }
    }
    clock = found
  }

  // MARK: Streams

  /// Checks the requested streams against the board's sensors, stops running sensors, and plans the
  /// remaining steps.
  private mutating func clear(_ position: Int) -> [Action] {
    let plan: StreamPlan
    do throws(BoardFailure) {
      plan = try StreamPlan(requests, on: modules)
    } catch {
      return end([.failed(error)])
    }
    let stopping = writes(modules.halt + clearance)
    let remarks = streams.isEmpty ? plan.remarks.map { Action.remark($0) } : []
    let former = streams
    streams = plan.streams.map { PlannedStream($0) }
    // A stream that is already being recorded must retain its layout, because its loss accounting
    // depends on the layout.
    for (index, stream) in former.enumerated() {
      guard stream.setup.description == streams[index].setup.description,
        stream.kind.fits(streams[index].setup.samples)
      else { return end([.failed(.changed(stream.setup.signal))]) }
      streams[index].kind = stream.kind
      streams[index].isCounted = stream.isCounted
    }
    givenIDs = []
    formerCounters = [:]
    steps =
      Array(steps[...position]) + streams.indices.flatMap { streams[$0].steps($0, on: modules) }
    let settling = streams.map(\.setup.settleSeconds).max() ?? 0
    return remarks + stopping
      + (settling > 0 ? [.wait(seconds: settling)] : enter(position + 1))
  }

  private mutating func configure(_ index: Int, at position: Int) -> [Action] {
    let setup = streams[index].setup
    // Streams from the same chip share a configuration.
    let isDone = streams[..<index].contains { $0.setup.configure == setup.configure }
    if isDone { return enter(position + 1) }
    guard let check = setup.check else { return writes(setup.configure) + enter(position + 1) }
    return question(setup.configure + [check.read])
  }

  private mutating func refused(_ index: Int, at position: Int) -> [Action] {
    if attempt < Self.attempts {
      attempt += 1
      return perform(position)
    }
    let signal = streams[index].setup.signal
    return end([
      .failed(
        BoardFailure(
          "the board did not accept the configuration of \(signal)",
          remedy: "reset the board with its button and try again"))
    ])
  }

  /// Handles a missing id after an attempt to create an object. Either the board has no space, or
  /// the id was lost.
  private mutating func notCreated(at position: Int) -> [Action] {
    switch steps[position] {
    case .pack(let index), .stamp(let index):
      guard hasRetriedCreation else {
        hasRetriedCreation = true
        return enter(setupSteps)
      }
      return fallBack(index, at: position)
    case .count where !hasRetriedCreation && !isAnnounced:
      hasRetriedCreation = true
      return enter(setupSteps)
    case .count(let index):
      // Even without a counter, packets that contain a count reveal every loss, except losses at
      // the very end.
      guard streams[index].kind.lossAccounting == .estimated else { return enter(position + 1) }
      let signal = streams[index].setup.signal
      return [.remark("\(signal): the board has no room for a counter, so loss is estimated")]
        + enter(position + 1)
    case .time where !hasRetriedCreation:
      // Timers outlive the program that created them, and no command removes all of them. Timers
      // that this session did not create are therefore removed one by one.
      hasRetriedCreation = true
      attempt = 1
      return writes(foreignTimers.map { Timer.remove($0).command }) + perform(position)
    case .time(let index), .ask(let index):
      streams[index].timer = nil
      let signal = streams[index].setup.signal
      return [.remark("\(signal): the board has no room for a timer, so the gateway polls it")]
        + enter(position + 1)
    default:
      // If the board has no space for this event, it has no space for the next event either.
      return [.remark("the board has no room for the events that stop it when it disconnects")]
        + becomeReady()
    }
  }

  /// Ids of the timers that this session did not create. Assumes eight timers if the board does not
  /// report their number.
  private var foreignTimers: [UInt8] {
    let own = Set(streams.compactMap(\.timer))
    return (0..<(modules[.timer]?.extra.first ?? 8)).filter { !own.contains($0) }
  }

  /// Plans the stream without a count of its samples, because the board cannot create the
  /// processor. Packs the samples if several fit into a packet.
  private mutating func fallBack(_ index: Int, at position: Int) -> [Action] {
    let signal = streams[index].setup.signal
    let failure = BoardFailure(
      "the board has no room to send \(signal) as \(streams[index].kind.rawValue)",
      remedy: "reset the board with its button to remove what other software left on it")
    // The board had space for the stream's processors earlier, so its responses must be getting
    // lost.
    if isAnnounced { return relink(because: failure) }
    if streams[index].isForced { return end([.failed(failure)]) }
    let canPack = StreamLayout.Kind.packed.fits(streams[index].setup.samples)
    streams[index].kind = canPack ? .packed : .single
    // If the board has no space for one processor, it has no space for another.
    let next = steps[position...].firstIndex {
      ![.pack(index), .stamp(index), .count(index)].contains($0)
    }
    return [.remark("\(signal): loss is estimated, because the board has no room for a counter")]
      + enter(next ?? steps.count)
  }

  // MARK: Completing the setup

  /// Finishes the setup once all streams are set up. The commands that stop the streams on a
  /// disconnect are stored last, when all ids are known.
  private mutating func complete() -> [Action] {
    if !isArmed, modules.has(.event), modules.has(.settings, revision: 2) {
      isArmed = true
      let position = steps.count
      steps += stopCommands.map { SetupStep.arm($0) }
      return enter(position)
    }
    return becomeReady()
  }

  private mutating func becomeReady() -> [Action] {
    let streams = streams.map(\.stream)
    let wasRebooted = isRebooted
    isRebooted = false
    guard hasRun else {
      state = .ready
      isAnnounced = true
      for index in self.streams.indices {
        self.streams[index].isCounted = self.streams[index].counter != nil
      }
      let model = Model(number: information?.modelNumber ?? "", modules: modules)
      return [.cancelWait, .ready(model, firmware: information?.firmware ?? "", streams)]
        + (mayStart ? run() : [])
    }
    let interruption: Interruption = wasRebooted ? .reboot : isReplaying ? .silence : .link
    isReplaying = false
    let counts = streams.indices.map { formerCounts[$0] }
    formerCounts = [:]
    return [.cancelWait, .resumed(streams, after: interruption, counts: counts)] + run()
  }
}

extension ModuleTable {
  /// Whether a module is present but is of a kind that no known board has.
  fileprivate func isContradictory(_ module: ModuleID) -> Bool {
    guard self[module] != nil else { return false }
    return switch module {
    case .accelerometer: accelerometer == nil
    case .gyroscope: gyroscope == nil
    case .barometer: barometer == nil
    default: false
    }
  }
}
