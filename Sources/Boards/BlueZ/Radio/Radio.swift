internal import Recording
public import Values

/// Assigns boards to adapters and decides the next steps for boards that are not linked. This value
/// type turns events into actions and has no clock.
///
/// The radio handles changes to the daemon's objects (`Sight`), requests for links, and the
/// outcomes of its operations. It compares the current state with the wanted state, so the order of
/// signals does not matter. If an adapter, a board or the daemon disappears, the next `Sight` shows
/// this.
///
/// Each adapter connects one board at a time, and stops discovery while doing so.
public struct Radio: Sendable {
  public enum Event: Sendable {
    /// The daemon's objects changed.
    case sight(Sight)
    /// A caller wants a link to a board. If no `Patience` is specified, the caller waits
    /// indefinitely.
    case want(BoardAddress, Patience?)
    /// A caller no longer needs a board: close its link and do not establish another.
    case release(BoardAddress)
    /// A board's link belongs to another program: leave that link alone and do not establish
    /// another.
    case abandon(BoardAddress)
    /// The daemon's data about a board is incorrect: close the link and forget the device before
    /// the next link.
    case renew(BoardAddress)
    /// A board is streaming, so its adapter must no longer scan continuously.
    case streaming(BoardAddress)
    /// A caller starts (`true`) or stops looking for boards.
    case scan(Bool)
    /// An adapter is malfunctioning: close its links and power-cycle it. With `resetsPort`, also
    /// reset its USB port while the adapter is off.
    case revive(adapter: String, resetsPort: Bool, reason: String)
    /// The program is shutting down: do not switch off any more adapters.
    case ending
    case ended(Operation, Refusal?)
    /// The time requested by `nextWake` has been reached.
    case time
  }

  /// An action that the caller must perform. Actions must be performed in order.
  public enum Action: Hashable, Sendable {
    /// Start this operation and report its outcome.
    case begin(Operation)
    /// A board is linked and its attributes are known.
    case up(BoardAddress, path: String)
    /// A board's link has dropped.
    case down(BoardAddress)
    /// The link that a caller is waiting for will not be established.
    case failed(BoardAddress, LinkFailure)
    /// A board that was released is no longer linked.
    case left(BoardAddress)
    /// Another board is being connected over the same adapter, which may delay data from these
    /// boards.
    case disturbed([BoardAddress])
    /// An adapter is being power-cycled.
    case switched(adapter: String)
    /// Write this to the log.
    case remark(LogEvent)
  }

  /// An operation whose outcome must be reported by `Event.ended`.
  public struct Operation: Hashable, Sendable {
    public var number: Int
    public var kind: Kind

    public enum Kind: Hashable, Sendable {
      case power(adapter: String, Bool)
      case resetPort(adapter: String)
      case startDiscovery(adapter: String)
      case stopDiscovery(adapter: String)
      case connect(device: String)
      case disconnect(device: String)
      case remove(device: String, adapter: String)
      case reread
    }
  }

  /// Limits how long a caller waits for a link.
  public struct Patience: Hashable, Sendable {
    /// Maximum time, in seconds, to search for the board.
    public var seekSeconds: Double
    /// Maximum number of connection attempts. The first few often fail at the edge of radio range
    /// or near a Wi-Fi transmitter.
    public var attempts: Int

    public init(seekSeconds: Double = 15, attempts: Int = 4) {
      self.seekSeconds = seekSeconds
      self.attempts = attempts
    }
  }

  public struct Settings: Sendable {
    /// Addresses of the adapters to use. If empty, all adapters that are on are used, or only the
    /// first one if all are off.
    public var adapters: [BoardAddress]
    /// Maximum number of boards linked over each adapter.
    public var slots: Int
    /// The attributes that identify a device as a supported board.
    public var shape: GATTShape
    /// Seconds within which the daemon must enable notifications.
    public var notifySeconds: Double

    public init(
      adapters: [BoardAddress] = [], slots: Int = 5, shape: GATTShape, notifySeconds: Double = 10
    ) {
      self.adapters = adapters
      self.slots = slots
      self.shape = shape
      self.notifySeconds = notifySeconds
    }
  }

  let settings: Settings
  var sight = Sight()
  var adapters: [AdapterKey: AdapterState] = [:]
  var boards: [BoardAddress: BoardState] = [:]
  var isScanWanted = false
  /// Whether the program is shutting down. An adapter that is switched off now might not be
  /// switched on again.
  var isEnding = false
  /// Time when the radio needs the next `time` event, or `nil` if it needs none.
  public internal(set) var nextWake: Double?
  var actions: [Action] = []
  private var operations = 0

  public init(_ settings: Settings) {
    self.settings = settings
  }

  /// Handles an event that happened at time `now`, in seconds on the clock of the devices'
  /// `lastHeard`.
  public mutating func handle(_ event: Event, at now: Double) -> [Action] {
    actions = []
    switch event {
    case .sight(let sight): see(sight, now)
    case .want(let address, let patience): want(address, patience, now)
    case .release(let address): release(address, now)
    case .abandon(let address): rest(address)
    case .renew(let address): renew(address, now)
    case .streaming(let address): boards[address]?.isStreaming = true
    case .scan(let isWanted): isScanWanted = isWanted
    case .ending: keepAdaptersOn()
    case .revive(let path, let resetsPort, let reason): revive(path, resetsPort, reason, now)
    case .ended(let operation, let refusal): end(operation, refusal, now)
    case .time: break
    }
    settle(now)
    return actions
  }

  /// Boards that are linked, being linked or being released.
  public var active: [BoardAddress] {
    boards.filter { $0.value.phase != .idle }.map(\.key).sorted()
  }

  /// Maximum number of rounds of `settle` for each board and adapter. Three are normally enough.
  private static let roundsEach = 8
  /// Seconds until the radio tries again after `settle` has reached the maximum number of rounds.
  private static let unsettledSeconds = 1.0

  /// Compares the current state with the wanted state, and takes steps until nothing is left to do.
  private mutating func settle(_ now: Double) {
    var done = -1
    var phases: [BoardAddress: BoardState.Phase] = [:]
    var rounds = 0
    // The loop ends because each step advances the state of a board or an adapter, and no step
    // repeats unless an operation ends in between. A board may advance without producing an action,
    // so the boards' phases are compared too.
    while done != actions.count || phases != boards.mapValues(\.phase) {
      rounds += 1
      // Even if the steps contain a bug, the loop must neither block a thread nor fill memory with
      // actions.
      guard rounds <= Self.roundsEach * (1 + boards.count + adapters.count) else {
        remark(
          .warning, Self.unsettled,
          ["remedy": "report this to the developers, with the preceding log entries"])
        return wake(at: now + Self.unsettledSeconds)
      }
      done = actions.count
      phases = boards.mapValues(\.phase)
      nextWake = nil
      for key in adapters.keys.sorted() { settleAdapter(key, now) }
      for address in boards.keys.sorted() { settleBoard(address, now) }
      for key in adapters.keys.sorted() { settleDiscovery(key, now) }
      linkNext(now)
    }
  }

  /// Log message for when `settle` reaches the maximum number of rounds.
  static let unsettled = "radio did not settle"

  /// Starts an operation and returns its number, which identifies the operation when its outcome
  /// arrives.
  mutating func begin(_ kind: Operation.Kind) -> Int {
    operations += 1
    actions.append(.begin(Operation(number: operations, kind: kind)))
    return operations
  }

  mutating func wake(at time: Double) {
    nextWake = min(nextWake ?? time, time)
  }

  mutating func remark(
    _ severity: LogEvent.Severity, _ event: String, _ details: KeyValuePairs<String, String>
  ) {
    actions.append(.remark(LogEvent(severity, event, details)))
  }

  private mutating func end(_ operation: Operation, _ refusal: Refusal?, _ now: Double) {
    for key in adapters.keys.sorted() { endedOnAdapter(key, operation, refusal, now) }
    for address in boards.keys.sorted() { endedForBoard(address, operation, refusal, now) }
  }
}

/// The reason a board could not be linked, reported to the caller that waited for the link.
public struct LinkFailure: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case notFound
    /// Every adapter has reached its maximum number of boards.
    case noRoom
    /// The board was advertising, but the connection failed.
    case connectFailed
    /// The device is not a supported board.
    case foreign
    case bootloader
    case obstacle(Obstacle)
  }

  public var kind: Kind
  /// Message from the daemon or the radio, or an empty string if there is none.
  public var text: String
}

/// An obstacle that prevents every board from being linked.
public enum Obstacle: Hashable, Sendable {
  case daemonMissing
  /// The system has no adapter, or none of the adapters that the user chose was found.
  case noAdapter
  /// The adapter is off, and the radio does not switch it on.
  case off
  /// The radio is blocked by rfkill.
  case blocked
  /// The bus policy forbids access. Contains the daemon's message.
  case denied(String)
}

/// Identifies an adapter even after it is plugged in again.
struct AdapterKey: Hashable, Comparable, Sendable {
  let text: String

  /// Creates a key from the adapter's address, or from its path if it has no address.
  init(_ adapter: Adapter) {
    text = adapter.address?.description ?? adapter.path
  }

  static func < (left: AdapterKey, right: AdapterKey) -> Bool { left.text < right.text }
}
