public import MetaWearProtocol
public import Values

/// A notification of a simulated board.
public struct SimulatedNotification: Hashable, Sendable {
  /// True time at which the board sent it.
  public let time: Double
  /// The packet.
  public let bytes: [UInt8]
  /// How many samples are in it.
  public let sampleCount: Int
}

/// A MetaWear board as seen through its two characteristics: bytes in, bytes out.
///
/// It has no clock of its own: the host says what time it is (true seconds of the simulated world,
/// never going back) and asks what has happened. The board's crystal is off by a factor, from which
/// its sampling rate and its log ticks follow alike. What a board would ignore is ignored and noted
/// in `complaints`; a client that behaves leaves that list empty.
public struct SimulatedBoard: Sendable {
  /// How much faster than true time the board's clock runs unless told otherwise.
  public static let defaultClockFactor = 1.003
  /// Seconds from a reset until it advertises again.
  public static let bootSeconds = 1.0

  /// The answers of firmware that is asked for a module the board does not have.
  public enum AbsentModuleAnswer: Hashable, Sendable, CaseIterable {
    /// Two bytes, the header alone.
    case headerOnly
    /// None.
    case silence
  }

  /// What a board does besides running its firmware.
  enum Mode: Sendable {
    case running
    /// Waits for its button to be pressed.
    case asleep
    /// Runs its bootloader, until power is taken away for a moment.
    case bootloader
  }

  /// What it is.
  public let model: BoardModel
  /// Its Bluetooth address.
  public let address: BoardAddress
  /// Seconds of the board's clock in a true second.
  public let clockFactor: Double

  /// Whether a central is connected; the board itself may end the link, so look after each call.
  public private(set) var isLinkUp = false
  /// Whether the central has asked for notifications; what is sent while it has not is lost.
  ///
  /// Hosts that model the client configuration descriptor set it; others leave it as it is.
  public var isNotifying = true
  /// What the battery says, when asked and when it changes.
  public var battery = Battery(percent: 99, millivolts: 4_148) {
    didSet { if battery != oldValue { tellSettings(.battery) } }
  }
  /// Whether it is plugged in.
  public var isPowered = false {
    didSet { if isPowered != oldValue { tellSettings(.powerStatus) } }
  }
  /// Whether its battery is being charged.
  public var isCharging = false {
    didSet { if isCharging != oldValue { tellSettings(.chargeStatus) } }
  }
  /// The world around it.
  public var surroundings = Surroundings()
  /// The way its wearer goes, uphill and downhill; `nil` for one who stays at the pressure of the
  /// surroundings.
  public var route: WalkRoute?
  /// What it says when it is asked for a module it does not have.
  public var absentModuleAnswer = AbsentModuleAnswer.headerOnly
  /// Samples put on air, each once, whatever became of them.
  public internal(set) var samplesSent: UInt64 = 0
  /// Those of them that never arrived, through a fault or because the link went.
  public internal(set) var samplesDropped: UInt64 = 0
  /// Samples of subscribed streams that could not be sent, since no client was connected or
  /// listening.
  public private(set) var samplesUnheard: UInt64 = 0
  /// Notifications put on air, replies included, each once.
  public internal(set) var notificationsSent: UInt64 = 0
  /// How its firmware logs, where firmwares differ.
  public var logBehaviour = LogBehaviour()
  /// What a client did wrong, in order.
  public private(set) var complaints: [String] = []

  let wearer: any Wearer
  /// True time up to which everything has happened.
  private(set) var now: Double
  var state: SimulatedBoardState
  var faults: SimulatedBoardFaults
  var log: SimulatedLog
  /// Whether what is read now is meant for consumers on the board alone.
  var isReadingSilently = false
  /// What arrives at the host when it looks next.
  var outbox: [SimulatedNotification] = []
  private(set) var resetUID: UInt8 = 0
  private(set) var resetReason = ResetReason.power
  var mode = Mode.running
  var macros = SimulatedMacros()
  /// How many macros are being carried out within each other.
  var macroDepth = 0
  /// What the world does to its pins.
  var pinInputs: [UInt8: PinInput] = [:]
  var serialBus = SimulatedSerialBus()
  /// The command being carried out, for complaints.
  var executing: [UInt8] = []

  private let seed: UInt64
  /// True time of the last reset.
  private var bootedAt: Double
  /// True time from which it can be found.
  private var readyAt: Double
  /// True time at which the last link ended.
  private var linkLostAt = -Double.infinity

  /// A board switched on at `time`, advertising, worn by somebody.
  public init(
    _ model: BoardModel, address: BoardAddress, wearer: any Wearer,
    surroundings: Surroundings = Surroundings(), seed: UInt64 = 1,
    clockFactor: Double = Self.defaultClockFactor, at time: Double = 0
  ) {
    self.model = model
    self.address = address
    self.wearer = wearer
    self.surroundings = surroundings
    self.seed = seed ^ address.value
    self.clockFactor = clockFactor
    now = time
    bootedAt = time
    readyAt = time
    state = SimulatedBoardState(model: model, seed: self.seed, boot: 0)
    // Another sequence than those of the sensors.
    faults = SimulatedBoardFaults(seed: ~self.seed)
    log = SimulatedLog(model.modules[.logging], hasCache: model.hasLogCache)
  }

  /// Serial number of the device information service: the lower half of the address.
  public var serialNumber: String {
    let digits = String(address.value & 0xff_ffff, radix: 16, uppercase: true)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Whether a scan would find it: not while connected, nor while it boots or sleeps, nor when it
  /// was told to stop after a while.
  public func isAdvertising(at time: Double) -> Bool {
    guard !isLinkUp, mode != .asleep, time >= readyAt else { return false }
    let timeout = Double(state.settings.shownTimeout)
    return timeout == 0 || time < max(readyAt, linkLostAt) + timeout
  }

  /// A central connected. Sensors still running send again at once.
  public mutating func linkUp() {
    isLinkUp = true
  }

  /// The link went away; the board finds out and does what it was told to do then.
  public mutating func linkDown(at time: Double) {
    run(until: time)
    loseLink()
  }

  /// The board lost power for a moment, or was told to reset: all it was told is forgotten.
  public mutating func reset(at time: Double) {
    run(until: time)
    reset(.power)
  }

  /// A write to the command characteristic.
  public mutating func receive(_ bytes: [UInt8], at time: Double) {
    run(until: time)
    guard isLinkUp else {
      complain("a write while nobody is connected", bytes)
      return
    }
    guard mode == .running else {
      complain("a write to a board whose firmware does not run", bytes)
      return
    }
    guard let command = Command(bytes: bytes) else {
      complain("a write of \(bytes.count) bytes; a command has 2 to 20", bytes)
      return
    }
    guard faults.isAnswering(at: now) else { return }
    faults.revive(command)
    execute(command.bytes)
  }

  /// Lets the board live until `time` and appends what it sent in the meantime, in order.
  public mutating func advance(
    to time: Double, into notifications: inout [SimulatedNotification]
  ) {
    run(until: time)
    notifications += outbox
    outbox.removeAll(keepingCapacity: true)
  }

  /// True time at which there may be something to send next, or a fault happens; `nil` while
  /// nothing is going on.
  public var nextEvent: Double? {
    guard isLinkUp else { return faults.nextTurn(battery) }
    return outbox.isEmpty ? nextTurn : now
  }

  /// Ticks of the board's clock since its reset.
  var tick: UInt32 { tick(at: now) }

  /// Ticks since the reset at a time which need not have come yet.
  func tick(at time: Double) -> UInt32 {
    UInt32(
      truncatingIfNeeded: Int64((time - bootedAt) * clockFactor / Logging.tickSeconds))
  }

  /// Notes that the client did something a board would ignore.
  mutating func complain(_ text: String, _ bytes: [UInt8]) {
    complaints.append("\(text): \(Hexadecimal.text(bytes, separator: " "))")
  }

  /// Notes the same of the command being carried out.
  mutating func complain(_ text: String) {
    complain(text, executing)
  }

  /// Sends a packet, if there is somebody to send it to.
  mutating func send(_ bytes: [UInt8], sampleCount: Int = 0) {
    precondition(bytes.count <= Command.maximumLength, "a notification has at most 20 bytes")
    guard !isReadingSilently, faults.isWorking(at: now),
      sampleCount == 0 || !faults.isHalted(bytes[0])
    else { return }
    guard isLinkUp, isNotifying else {
      samplesUnheard += UInt64(sampleCount)
      return
    }
    transmit(SimulatedNotification(time: now, bytes: bytes, sampleCount: sampleCount))
  }

  /// Ends the link with what is still on its way.
  mutating func dropLink() {
    if isLinkUp {
      linkLostAt = now
      state.settings.startAdvertising()
    }
    isLinkUp = false
    state.logging.readOut = nil
    for notification in outbox + faults.dropHeld() {
      samplesDropped += UInt64(notification.sampleCount)
    }
    outbox.removeAll()
  }

  /// Starts afresh, or goes to sleep if it was told to do so at its next reset.
  mutating func reset(_ reason: ResetReason, into next: Mode? = nil) {
    let sleeps = state.debug.savesPowerAtReset
    dropLink()
    resetUID = (resetUID + 1) & 7
    bootedAt = now
    readyAt = now + Self.bootSeconds
    log.losePower()
    state = SimulatedBoardState(model: model, seed: seed, boot: resetUID)
    resetReason = reason
    mode = next ?? (sleeps ? .asleep : .running)
    faults.reset()
    if mode == .running { runBootMacros() }
  }

  /// The battery is empty; a reset stands for a charged one.
  mutating func die() {
    dropLink()
    readyAt = .infinity
    log.losePower()
    state = SimulatedBoardState(model: model, seed: seed, boot: resetUID)
    faults.reset()
  }

  /// Lets samples and timers happen in their order, up to and including `time`.
  mutating func run(until time: Double) {
    while let turn = nextTurn, turn <= time {
      now = max(now, turn)
      take(turn)
    }
    now = max(now, time)
  }
}
