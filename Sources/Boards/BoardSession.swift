public import MetaWearProtocol

/// One board's session as a value: events in, actions out, no clock and no waiting.
///
/// `idle` → identify the modules one by one → read the log time → stop leftovers of an earlier
/// connection → configure each sensor and read it back → chain packer and counter behind each →
/// arm the disconnect event → `ready` → `running` → `stopping` → `finished`; every state may end in
/// `failed`.
public struct BoardSession: Sendable {
  /// What happened.
  public enum Event: Sendable {
    /// The link is up and notifications are enabled.
    case subscribed(DeviceInformation)
    /// A notification that is no sample of a running stream.
    case packet([UInt8])
    /// The wait asked for last is over.
    case timeout
    /// Everybody is ready: the sensors may start.
    case start
    /// The user wants it to end.
    case stop
    /// The link is gone.
    case linkLost
  }

  /// What to do about it, in this order.
  public enum Action: Sendable {
    /// Write a command; acknowledged ones wait for the board.
    case write(Command, acknowledged: Bool)
    /// Report `timeout` after this many seconds, unless another wait comes first.
    case wait(seconds: Double)
    /// No wait any more.
    case cancelWait
    /// The board is set up and waits for `start`; decode and record these streams from now on.
    case ready(Model, firmware: String, [BoardStream])
    /// Its sensors run.
    case running
    /// Something a person may want to know.
    case remark(String)
    /// Everything is stopped and nothing is on its way any more.
    case finished
    /// The session ended before its time.
    case failed(BoardFailure)
  }

  private enum State {
    case idle
    /// Waiting for the info of the module at this position of the order.
    case identifying(Int)
    case readingTime
    /// Waiting for the configuration of this sensor.
    case configuring(Int)
    /// Waiting for the packer of this sensor.
    case packing(Int)
    /// Waiting for the counter behind it.
    case counting(Int)
    /// Waiting for the event that stops this sensor at a disconnect.
    case arming(Int)
    case ready
    case running
    case stopping
    case ended
  }

  /// Module 11 comes first: until the connection parameters are sent, 420 ms of silence end the link.
  static let order = [ModuleID.settings] + ModuleID.allCases.filter { $0 != .settings }
  static let answerSeconds = 1.0
  static let attempts = 3

  private let requests: [SensorRequest]
  private var state = State.idle
  private var attempt = 1
  private var information = DeviceInformation(modelNumber: "", firmware: "")
  private var modules = ModuleTable()
  private var streams: [BoardStream] = []

  /// A session that will stream these sensors.
  public init(_ requests: [SensorRequest]) {
    self.requests = requests
  }

  /// Takes an event and says what to do.
  public mutating func handle(_ event: Event) -> [Action] {
    switch (event, state) {
    case (_, .ended): []
    case (.subscribed(let information), .idle): begin(information)
    case (.packet(let bytes), _): receive(bytes)
    case (.timeout, _): retry()
    case (.start, .ready): start()
    case (.stop, .idle), (.stop, .stopping): end([.finished])
    case (.stop, _): stop()
    // Gone after the sensors were stopped: nothing more was to come, but what was on its way is
    // not known to have arrived.
    case (.linkLost, _): end([.failed(.linkLost)])
    case (.subscribed, _), (.start, _): []
    }
  }

  private mutating func begin(_ information: DeviceInformation) -> [Action] {
    self.information = information
    return enter(.identifying(0))
  }

  // MARK: Answers

  private mutating func receive(_ bytes: [UInt8]) -> [Action] {
    guard let notification = try? Notification(decoding: bytes.span, from: modules) else {
      return [.remark("unreadable packet \(bytes)")]
    }
    switch (notification, state) {
    case (.moduleInfo(let module, let info), .identifying(let position))
    where module == Self.order[position]:
      modules[module] = info
      return identified(position)
    case (.timeReference, .readingTime):
      return prepare()
    case (.configuration(let module, let found), .configuring(let index))
    where module == streams[index].sensor.module:
      return found == streams[index].configuration
        ? enter(.packing(index)) : configurationRefused(index)
    case (.created(.dataProcessor, let id), .packing(let index)):
      streams[index].layout = .countedPair(processor: id)
      return enter(.counting(index))
    case (.created(.dataProcessor, let id), .counting(let index)):
      streams[index].layout = .countedPair(processor: id)
      return enterNext(after: index)
    case (.created(.event, _), .arming(let index)):
      return index + 1 < streams.count ? enter(.arming(index + 1)) : becomeReady()
    case (.timeReference, .stopping), (.moduleInfo, .stopping):
      return tearDown()
    default:
      return []
    }
  }

  private mutating func identified(_ position: Int) -> [Action] {
    var actions: [Action] = []
    if Self.order[position] == .settings, modules.has(.settings, revision: 1) {
      actions.append(.write(Settings.prefer(.fast), acknowledged: false))
    }
    if position + 1 < Self.order.count { return actions + enter(.identifying(position + 1)) }
    return actions + (modules.has(.logging) ? enter(.readingTime) : prepare())
  }

  // MARK: Setting up

  /// Checks what was asked for against what the board has, then stops what an earlier connection
  /// may have left running.
  private mutating func prepare() -> [Action] {
    let sensors = modules.motionSensors
    streams.removeAll()
    for request in requests {
      guard let sensor = sensors.first(where: { $0.signal == request.signal }) else {
        return end([.failed(missing(request.signal, of: sensors))])
      }
      do throws(SettingError) {
        let configuration = try sensor.configuration(rate: request.rate, range: request.range)
        streams.append(
          BoardStream(sensor: sensor, configuration: configuration, layout: .single))
      } catch {
        let lines = error.description.split(separator: "\n", maxSplits: 1).map(String.init)
        let remedy = lines.count > 1 ? String(lines[1].drop { $0 == " " }) : ""
        return end([.failed(BoardFailure(lines[0], remedy: remedy))])
      }
    }
    return writes(haltSensors + clearance) + enter(.configuring(0))
  }

  private func missing(_ signal: String, of sensors: [any MotionSensor]) -> BoardFailure {
    BoardFailure(
      "the board has no sensor for \(signal)",
      remedy: "it has: " + sensors.map(\.signal).joined(separator: ", "))
  }

  private mutating func configurationRefused(_ index: Int) -> [Action] {
    if attempt < Self.attempts {
      attempt += 1
      return ask()
    }
    return end([
      .failed(
        BoardFailure(
          "the board did not take the configuration of \(streams[index].sensor.signal)",
          remedy: "reset the board by its button and try again"))
    ])
  }

  /// Without the processors' revision 2, or without room for them, samples come uncounted: packed
  /// where the chip can, else one by one.
  private mutating func fallBack(_ index: Int) -> [Action] {
    let sensor = streams[index].sensor
    streams[index].layout = sensor.packedRegister == nil ? .single : .packed
    let remark = Action.remark("\(sensor.signal): loss is estimated, the board cannot count")
    return [remark] + enterNext(after: index)
  }

  private mutating func enterNext(after index: Int) -> [Action] {
    if index + 1 < streams.count { return enter(.configuring(index + 1)) }
    return modules.has(.event) ? enter(.arming(0)) : becomeReady()
  }

  private mutating func becomeReady() -> [Action] {
    state = .ready
    let model = Model(number: information.modelNumber, modules: modules)
    return [.cancelWait, .ready(model, firmware: information.firmware, streams)]
  }

  private mutating func start() -> [Action] {
    var commands: [Command] = []
    for stream in streams {
      if case .countedPair(let processor) = stream.layout {
        commands += [DataProcessor.enableNotifications, DataProcessor.subscribe(processor).command]
      } else {
        let isPacked = stream.layout == .packed
        let register = isPacked ? stream.sensor.packedRegister : stream.sensor.sampleRegister
        if let register { commands.append(.subscribe(stream.sensor.module, register)) }
      }
    }
    commands += streams.map(\.sensor.enableDataReady)
    commands += streams.map { $0.sensor.powerOn($0.configuration) }
    state = .running
    return writes(commands) + [.running]
  }

  // MARK: Stopping

  private mutating func stop() -> [Action] {
    // The answer to the read that `stopping` begins with comes behind the last sample.
    writes(haltSensors) + enter(.stopping)
  }

  private mutating func tearDown() -> [Action] {
    end([.cancelWait] + writes(clearance, acknowledgingLast: true) + [.finished])
  }

  private var haltSensors: [Command] {
    modules.motionSensors.flatMap { [$0.powerOff, $0.disableDataReady] }
  }

  /// Removes what an earlier connection, or this one, set up.
  private var clearance: [Command] {
    var commands = modules.motionSensors.flatMap { sensor in
      [sensor.sampleRegister, sensor.packedRegister].compactMap(\.self)
        .map { Command.unsubscribe(sensor.module, $0) }
    }
    if modules.has(.event) { commands.append(MetaWearProtocol.Event.removeAll.command) }
    if modules.has(.dataProcessor) { commands.append(DataProcessor.removeAll.command) }
    if modules.has(.led) { commands.append(LED.stopAndClear) }
    return commands
  }

  // MARK: States

  private mutating func enter(_ next: State) -> [Action] {
    state = next
    attempt = 1
    return ask()
  }

  /// Sends what the state waits for an answer to, and waits.
  private mutating func ask() -> [Action] {
    let commands: [Command]
    switch state {
    case .identifying(let position):
      commands = [.readModuleInfo(Self.order[position])]
    case .readingTime:
      commands = [Logging.readTime]
    case .configuring(let index):
      let stream = streams[index]
      commands = [stream.sensor.configure(stream.configuration), stream.sensor.readConfiguration]
    case .packing(let index):
      guard modules.has(.dataProcessor, revision: 2) else { return fallBack(index) }
      let source = streams[index].sensor.source
      let packer = ProcessorFunction.packer(sampleLength: source.length, count: 2)
      commands = [DataProcessor.create(packer, on: source).command]
    case .counting(let index):
      guard case .countedPair(let packer) = streams[index].layout else { return fallBack(index) }
      // The source's length is that of one packed sample: what the vendor's own app sends.
      let source = SignalSource.processor(packer, length: streams[index].sensor.source.length)
      commands = [DataProcessor.create(.counter, on: source).command]
    case .arming(let index):
      commands = BoardSession.arm(streams[index].sensor)
    case .stopping:
      commands = [modules.has(.logging) ? Logging.readTime : .readModuleInfo(.settings)]
    case .idle, .ready, .running, .ended:
      return []
    }
    return writes(commands) + [.wait(seconds: Self.answerSeconds)]
  }

  /// A lost link shall not leave the sensor running until the battery is empty.
  private static func arm(_ sensor: any MotionSensor) -> [Command] {
    MetaWearProtocol.Event.record(sensor.powerOff, when: .disconnect)
  }

  private mutating func retry() -> [Action] {
    switch state {
    case .packing(let index), .counting(let index):
      // Creating twice would leave one behind: silence means there is no room.
      return fallBack(index)
    case .arming:
      return [.remark("the board has no room for the event that stops it at a disconnect")]
        + becomeReady()
    case .idle, .ready, .running, .ended:
      return []
    default:
      break
    }
    if attempt < Self.attempts {
      attempt += 1
      return ask()
    }
    switch state {
    case .identifying(let position) where position > 0:
      // Some firmware says nothing about a module it lacks.
      return identified(position)
    case .readingTime:
      return prepare()
    case .stopping:
      return [.remark("the board did not confirm that it stopped")] + tearDown()
    default:
      return end([.failed(.silent)])
    }
  }

  private mutating func end(_ actions: [Action]) -> [Action] {
    state = .ended
    return actions
  }

  private func writes(_ commands: [Command], acknowledgingLast: Bool = false) -> [Action] {
    commands.enumerated().map { index, command in
      .write(command, acknowledged: acknowledgingLast && index == commands.count - 1)
    }
  }
}
