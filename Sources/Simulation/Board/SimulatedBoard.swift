public import MetaWearProtocol
public import Values

/// A notification of a simulated board.
public struct SimulatedNotification: Hashable, Sendable {
  /// True time at which the board sent it.
  public let time: Double
  public let bytes: [UInt8]
  /// The number of samples in the packet.
  public let sampleCount: Int
  /// The number of bytes at the end that a fault added.
  public private(set) var surplus = 0

  init(time: Double, bytes: [UInt8], sampleCount: Int, surplus: Int = 0) {
    self.time = time
    self.bytes = bytes
    self.sampleCount = sampleCount
    self.surplus = surplus
  }
}

/// A MetaWear board as seen through its two characteristics: bytes in, bytes out.
///
/// The board has no clock of its own. The host passes the time (true seconds of the simulated
/// world, never decreasing) and asks for the events so far. The board's crystal is off by a factor,
/// which affects its sampling rate and its log ticks alike. Commands that a real board would ignore
/// are ignored and noted in `complaints`; a correct client leaves that list empty.
public struct SimulatedBoard: Sendable {
  /// The speed of the board's clock relative to true time, by default.
  public static let defaultClockFactor = 1.003
  /// Seconds from a reset until the board advertises again.
  public static let bootSeconds = 1.0

  /// The firmware's answer to a query for a module that the board does not have.
  public enum AbsentModuleAnswer: Hashable, Sendable, CaseIterable {
    /// Two bytes, the header alone.
    case headerOnly
    /// No answer.
    case silence
  }

  enum Mode: Sendable {
    case running
    /// Waits for a press of its button.
    case asleep
    /// Runs its bootloader, until its power is interrupted.
    case bootloader
  }

  public let model: BoardModel
  public let address: BoardAddress
  /// Seconds of the board's clock in a true second.
  public let clockFactor: Double

  /// Whether a central is connected; the board itself may end the link, so check after each call.
  public private(set) var isLinkUp = false
  /// Whether the central has asked for notifications; if not, packets are lost.
  ///
  /// Hosts that model the client configuration descriptor set it; others leave it alone.
  public var isNotifying = true
  /// The battery's state, sent on request and when it changes.
  public var battery = Battery(percent: 99, millivolts: 4_148) {
    didSet { if battery != oldValue { tellSettings(.battery) } }
  }
  /// Whether the board is plugged in.
  public var isPowered = false {
    didSet { if isPowered != oldValue { tellSettings(.powerStatus) } }
  }
  /// Whether the battery is being charged.
  public var isCharging = false {
    didSet { if isCharging != oldValue { tellSettings(.chargeStatus) } }
  }
  public var surroundings = Surroundings()
  /// The wearer's route, uphill and downhill; `nil` for a wearer who stays at the pressure of the
  /// surroundings.
  public var route: WalkRoute?
  /// The answer to a query for a module that the board does not have.
  public var absentModuleAnswer = AbsentModuleAnswer.headerOnly
  /// Samples put on air, each counted once, whether they arrived or not.
  public internal(set) var samplesSent: UInt64 = 0
  /// Samples put on air that never arrived, because of a fault or because the link dropped.
  public internal(set) var samplesDropped: UInt64 = 0
  /// Samples of subscribed streams that could not be sent, since no client was connected or
  /// listening.
  public private(set) var samplesUnheard: UInt64 = 0
  /// Notifications put on air, replies included, each counted once.
  public internal(set) var notificationsSent: UInt64 = 0
  /// Details of the firmware's logging that differ between firmwares.
  public var logBehaviour = LogBehaviour()
  /// The client's mistakes, in order.
  public private(set) var complaints: [String] = []

  /// True time of the last command that switches a motion sensor on, even if it was on.
  public internal(set) var lastStart: Double?

  let wearer: any Wearer
  /// True time up to which the simulation has run.
  private(set) var now: Double
  var state: SimulatedBoardState
  var faults: SimulatedBoardFaults
  var log: SimulatedLog
  /// Whether the current read serves only consumers on the board.
  var isReadingSilently = false
  /// Notifications that the host receives at its next call.
  var outbox: [SimulatedNotification] = []
  private(set) var resetUID: UInt8 = 0
  private(set) var resetReason = ResetReason.power
  var mode = Mode.running
  var macros = SimulatedMacros()
  /// Nesting depth of the running macros.
  var macroDepth = 0
  /// External inputs of the pins.
  var pinInputs: [UInt8: PinInput] = [:]
  var serialBus = SimulatedSerialBus()
  /// The current command, for complaints.
  var executing: [UInt8] = []

  private let seed: UInt64
  /// True time of the last reset.
  private var bootedAt: Double
  /// True time from which a scan can find the board.
  private var readyAt: Double
  /// True time at which the last link ended.
  private var linkLostAt = -Double.infinity

  /// A board switched on at `time`, advertising, with a wearer.
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
    // A sequence separate from those of the sensors.
    faults = SimulatedBoardFaults(seed: ~self.seed)
    log = SimulatedLog(model.modules[.logging], hasCache: model.hasLogCache)
  }

  /// Serial number of the device information service: the lower half of the address.
  public var serialNumber: String {
    let digits = String(address.value & 0xff_ffff, radix: 16, uppercase: true)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Whether a scan would find the board. It would not while the board is connected, boots or
  /// sleeps, nor after its advertising timeout.
  public func isAdvertising(at time: Double) -> Bool {
    guard !isLinkUp, mode != .asleep, time >= readyAt else { return false }
    let timeout = Double(state.settings.shownTimeout)
    return timeout == 0 || time < max(readyAt, linkLostAt) + timeout
  }

  /// Notes that a central has connected. Sensors that still run send again at once.
  public mutating func linkUp() {
    isLinkUp = true
  }

  /// Notes that the link has dropped; the board carries out its commands for that event.
  public mutating func linkDown(at time: Double) {
    run(until: time)
    loseLink()
  }

  /// Interrupts the board's power: it forgets all its settings.
  public mutating func reset(at time: Double) {
    run(until: time)
    reset(.power)
  }

  /// A write to the command characteristic.
  public mutating func receive(_ bytes: [UInt8], at time: Double) {
    run(until: time)
    guard isLinkUp else {
      complain("a write without a connection", bytes)
      return
    }
    guard mode == .running else {
      complain("a write to a board whose firmware is not running", bytes)
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

  /// Runs the board until `time` and appends the notifications sent meanwhile, in order.
  public mutating func advance(
    to time: Double, into notifications: inout [SimulatedNotification]
  ) {
    run(until: time)
    notifications += outbox
    outbox.removeAll(keepingCapacity: true)
  }

  /// True time at which the board may next send a packet, or a fault happens; `nil` while it is
  /// idle.
  public var nextEvent: Double? {
    guard isLinkUp else { return faults.nextTurn(battery) }
    return outbox.isEmpty ? nextTurn : now
  }

  /// Ticks of the board's clock since its reset.
  var tick: UInt32 { tick(at: now) }

  /// Ticks since the reset at a time that may be in the future.
  func tick(at time: Double) -> UInt32 {
    UInt32(
      truncatingIfNeeded: Int64((time - bootedAt) * clockFactor / Logging.tickSeconds))
  }

  /// Notes a mistake of the client, which a board would ignore.
  mutating func complain(_ text: String, _ bytes: [UInt8]) {
    complaints.append("\(text): \(Hexadecimal.text(bytes, separator: " "))")
  }

  /// Notes that the command under way is a mistake.
  mutating func complain(_ text: String) {
    complain(text, executing)
  }

  /// Sends a packet, if a client is listening.
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

  /// Ends the link and drops all packets under way.
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

  /// Restarts the board, or puts it to sleep if that was requested for its next reset.
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

  /// Empties the battery; a reset then stands for a charged battery.
  mutating func die() {
    dropLink()
    readyAt = .infinity
    log.losePower()
    state = SimulatedBoardState(model: model, seed: seed, boot: resetUID)
    faults.reset()
  }

  /// Runs samples and timers in order of time, up to and including `time`.
  mutating func run(until time: Double) {
    while let turn = nextTurn, turn <= time {
      now = max(now, turn)
      take(turn)
    }
    now = max(now, time)
  }
}
