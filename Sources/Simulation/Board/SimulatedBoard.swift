public import MetaWearProtocol
public import Values

/// A notification from a simulated board.
public struct SimulatedNotification: Hashable, Sendable {
  /// True time at which the board sent the notification, or at which a delay fault released it.
  public let time: Double
  public let bytes: [UInt8]
  /// The number of samples in the packet; 0 for the second copy of a duplicated packet.
  public let sampleCount: Int
  /// The number of surplus bytes that a fault appended.
  public private(set) var surplus = 0

  init(time: Double, bytes: [UInt8], sampleCount: Int, surplus: Int = 0) {
    self.time = time
    self.bytes = bytes
    self.sampleCount = sampleCount
    self.surplus = surplus
  }
}

/// A MetaWear board as seen through its two characteristics: one receives commands, the other sends
/// notifications.
///
/// The board does not keep time. The host passes in the time (true seconds in the simulated world,
/// never decreasing) and requests the events up to that time. The board's crystal runs fast or slow
/// by a constant factor, which affects both the sampling rate and the log ticks. Commands that a
/// real board would ignore are ignored and added to `complaints`. If the client is correct, that
/// list stays empty.
public struct SimulatedBoard: Sendable {
  /// The default speed of the board's clock relative to true time.
  public static let defaultClockFactor = 1.003
  /// Seconds from a reset until the board advertises again.
  public static let bootSeconds = 1.0

  /// The firmware's reply to a query for a module that the board does not have.
  public enum AbsentModuleAnswer: Hashable, Sendable, CaseIterable {
    /// The reply consists of two bytes: only the header.
    case headerOnly
    /// The firmware does not reply.
    case silence
  }

  enum Mode: Sendable {
    case running
    /// The board sleeps until its button is pressed.
    case asleep
    /// The board runs its bootloader until its power is interrupted.
    case bootloader
  }

  public let model: BoardModel
  public let address: BoardAddress
  /// Seconds on the board's clock per true second.
  public let clockFactor: Double

  /// Whether a central is connected. The board itself may end the link, so check this property
  /// after each call.
  public private(set) var isLinkUp = false
  /// Whether the central has subscribed to notifications. If not, packets are lost.
  ///
  /// Hosts that model the client configuration descriptor set this property; other hosts leave it
  /// unchanged.
  public var isNotifying = true
  /// The battery's state, which the board sends on request and whenever it changes.
  public var battery = Battery(percent: 99, millivolts: 4_148) {
    didSet { if battery != oldValue { tellSettings(.battery) } }
  }
  /// Whether the board is plugged in.
  public var isPowered = false {
    didSet { if isPowered != oldValue { tellSettings(.powerStatus) } }
  }
  public var isCharging = false {
    didSet { if isCharging != oldValue { tellSettings(.chargeStatus) } }
  }
  public var surroundings = Surroundings()
  /// The wearer's route, which determines the altitude; `nil` if the surroundings' pressure applies
  /// instead.
  public var route: WalkRoute?
  public var absentModuleAnswer = AbsentModuleAnswer.headerOnly
  /// Number of samples sent, including samples that did not arrive. Each sample is counted once.
  public internal(set) var samplesSent: UInt64 = 0
  /// Number of samples that were sent but never arrived, because of a fault or because the link
  /// dropped.
  public internal(set) var samplesDropped: UInt64 = 0
  /// Number of streamed samples that could not be sent, because no client was connected or
  /// notifications were off.
  public private(set) var samplesUnheard: UInt64 = 0
  /// Number of notifications sent, including replies. Each notification is counted once.
  public internal(set) var notificationsSent: UInt64 = 0
  public var logBehaviour = LogBehaviour()
  /// Descriptions of the client's errors, in chronological order.
  public private(set) var complaints: [String] = []

  /// True time of the last command that switched on a motion sensor, even if it was already on.
  public internal(set) var lastStart: Double?

  let wearer: any Wearer
  /// True time up to which the simulation has run.
  private(set) var now: Double
  var state: SimulatedBoardState
  var faults: SimulatedBoardFaults
  var log: SimulatedLog
  /// Whether the current read serves only consumers on the board.
  var isReadingSilently = false
  /// Notifications that the host will receive from its next call to `advance`.
  var outbox: [SimulatedNotification] = []
  private(set) var resetUID: UInt8 = 0
  private(set) var resetReason = ResetReason.power
  var mode = Mode.running
  var macros = SimulatedMacros()
  /// Nesting depth of the running macros.
  var macroDepth = 0
  /// The external inputs to the pins, by pin number.
  var pinInputs: [UInt8: PinInput] = [:]
  var serialBus = SimulatedSerialBus()
  /// The current command, for use in complaints.
  var executing: [UInt8] = []

  private let seed: UInt64
  /// True time of the last reset.
  private var bootedAt: Double
  /// True time after which a scan can find the board.
  private var readyAt: Double
  /// True time at which the last link ended.
  private var linkLostAt = -Double.infinity

  /// Creates a board with a wearer. The board is switched on at `time` and advertises.
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
    // Use a random sequence that is independent of the sensors' sequences.
    faults = SimulatedBoardFaults(seed: ~self.seed)
    log = SimulatedLog(model.modules[.logging], hasCache: model.hasLogCache)
  }

  /// Serial number for the device information service: the lower half of the address.
  public var serialNumber: String {
    let digits = String(address.value & 0xff_ffff, radix: 16, uppercase: true)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// Returns whether a scan would find the board. A scan does not find it while it is connected,
  /// booting or asleep, or after its advertising timeout.
  public func isAdvertising(at time: Double) -> Bool {
    guard !isLinkUp, mode != .asleep, time >= readyAt else { return false }
    let timeout = Double(state.settings.shownTimeout)
    return timeout == 0 || time < max(readyAt, linkLostAt) + timeout
  }

  /// Records that a central has connected. Sensors that are still running resume sending
  /// immediately.
  public mutating func linkUp() {
    isLinkUp = true
  }

  /// Records that the link has dropped. The board then executes the commands stored for disconnect
  /// events.
  public mutating func linkDown(at time: Double) {
    run(until: time)
    loseLink()
  }

  /// Interrupts the board's power. The board loses all its settings.
  public mutating func reset(at time: Double) {
    run(until: time)
    reset(.power)
  }

  /// Handles a write to the command characteristic.
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

  /// Runs the board until `time` and appends the notifications sent in that time, in order.
  public mutating func advance(
    to time: Double, into notifications: inout [SimulatedNotification]
  ) {
    run(until: time)
    notifications += outbox
    outbox.removeAll(keepingCapacity: true)
  }

  /// The next true time at which the board may send a packet or a fault may occur; `nil` while it
  /// is idle.
  public var nextEvent: Double? {
    guard isLinkUp else { return faults.nextTurn(battery) }
    return outbox.isEmpty ? nextTurn : now
  }

  /// Ticks of the board's clock since its reset.
  var tick: UInt32 { tick(at: now) }

  /// Returns the number of ticks between the reset and `time`. `time` may be in the future.
  func tick(at time: Double) -> UInt32 {
    UInt32(
      truncatingIfNeeded: Int64((time - bootedAt) * clockFactor / Logging.tickSeconds))
  }

  /// Records a client error that a real board would silently ignore.
  mutating func complain(_ text: String, _ bytes: [UInt8]) {
    complaints.append("\(text): \(Hexadecimal.text(bytes, separator: " "))")
  }

  /// Records that the current command is invalid.
  mutating func complain(_ text: String) {
    complain(text, executing)
  }

  /// Sends a packet, if a client is subscribed.
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

  /// Ends the link and drops all packets in transit.
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

  /// Switches the board off because its battery is empty. A later reset simulates a recharged
  /// battery.
  mutating func die() {
    dropLink()
    readyAt = .infinity
    log.losePower()
    state = SimulatedBoardState(model: model, seed: seed, boot: resetUID)
    faults.reset()
  }

  /// Processes samples and timers in chronological order, up to and including `time`.
  mutating func run(until time: Double) {
    while let turn = nextTurn, turn <= time {
      now = max(now, turn)
      take(turn)
    }
    now = max(now, time)
  }
}
