internal import Recording
public import Values

/// Which board is linked over which adapter, and the next steps for the boards that are not linked.
/// It is a value, with events in and actions out, without a clock.
///
/// It is told what the daemon shows (`Sight`), who wants a link, and how its operations ended. It
/// compares the present state with the wanted state. So the order of signals does not matter. If an
/// adapter, a board or the daemon itself went away meanwhile, the next sight says so.
///
/// One board at a time is being linked on an adapter, and discovery is off meanwhile.
public struct Radio: Sendable {
  /// What happened.
  public enum Event: Sendable {
    /// The daemon shows this now.
    case sight(Sight)
    /// A caller wants a link to a board; without patience, for as long as it takes.
    case want(BoardAddress, Patience?)
    /// A board's link is to be ended, and no other is wanted.
    case release(BoardAddress)
    /// A board's link belongs to another program: it is left alone, and no other is wanted.
    case abandon(BoardAddress)
    /// The daemon is confused about a board: its link is to be ended and the device forgotten,
    /// before another is made.
    case renew(BoardAddress)
    /// A board streams: its adapter does not scan all the time any more.
    case streaming(BoardAddress)
    /// A caller wants to see which boards are there, or no longer.
    case scan(Bool)
    /// An operation ended.
    case ended(Operation, Refusal?)
    /// The time asked for has come.
    case time
  }

  /// The actions that follow, in this order.
  public enum Action: Hashable, Sendable {
    /// Begin this, and report how it ended.
    case begin(Operation)
    /// A board is linked, and its attributes are known.
    case up(BoardAddress, path: String)
    /// A board's link is gone.
    case down(BoardAddress)
    /// There will be no link to a board that a caller waits for.
    case failed(BoardAddress, LinkFailure)
    /// A released board is let go of.
    case left(BoardAddress)
    /// Another board is being linked over the same adapter, which may make these fall behind.
    case disturbed([BoardAddress])
    /// For the log.
    case remark(LogEvent)
  }

  /// Something the daemon is asked to do.
  public struct Operation: Hashable, Sendable {
    /// Which one of all.
    public var number: Int
    /// What it is.
    public var kind: Kind

    /// What it is, by object paths.
    public enum Kind: Hashable, Sendable {
      case power(adapter: String, Bool)
      case startDiscovery(adapter: String)
      case stopDiscovery(adapter: String)
      case connect(device: String)
      case disconnect(device: String)
      case remove(device: String, adapter: String)
      /// List all objects again.
      case reread
    }
  }

  /// How long a caller waits for a link.
  public struct Patience: Hashable, Sendable {
    /// Seconds of looking for the board.
    public var seekSeconds: Double
    /// Attempts at a link; the first ones often fail at range or near Wi-Fi.
    public var attempts: Int

    /// Patience of this extent.
    public init(seekSeconds: Double = 15, attempts: Int = 4) {
      self.seekSeconds = seekSeconds
      self.attempts = attempts
    }
  }

  /// What the user chose.
  public struct Settings: Sendable {
    /// Adapters to use, by address; when empty, those that are on, and the first if none is.
    public var adapters: [BoardAddress]
    /// Boards one adapter carries.
    public var slots: Int
    /// What makes a device one of ours.
    public var shape: GATTShape
    /// Seconds within which the daemon has to turn notifications on.
    public var notifySeconds: Double

    /// Settings with these parts.
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
  /// When something is due without an event.
  public internal(set) var nextWake: Double?
  var actions: [Action] = []
  private var operations = 0

  /// A radio of which nothing is known.
  public init(_ settings: Settings) {
    self.settings = settings
  }

  /// Takes an event that happened at a time, in seconds of any clock that only goes forward.
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
    case .ended(let operation, let refusal): end(operation, refusal, now)
    case .time: break
    }
    settle(now)
    return actions
  }

  /// Boards that are linked, being linked or being let go of.
  public var active: [BoardAddress] {
    boards.filter { $0.value.phase != .idle }.map(\.key).sorted()
  }

  /// Rounds in which a board or an adapter has settled; it takes three at most.
  private static let roundsEach = 8
  /// Seconds until a radio that did not settle looks again.
  private static let unsettledSeconds = 1.0

  /// Compares what is with what should be, until there is nothing left to do.
  private mutating func settle(_ now: Double) {
    var done = -1
    var phases: [BoardAddress: BoardState.Phase] = [:]
    var rounds = 0
    // Each step moves something on, and nothing goes round in circles without an operation between.
    // A board that moved on without an action may still be the one to wait for something, or to be
    // told.
    while done != actions.count || phases != boards.mapValues(\.phase) {
      rounds += 1
      // A mistake in the steps must not keep a thread busy, nor fill the memory with actions.
      guard rounds <= Self.roundsEach * (1 + boards.count + adapters.count) else {
        remark(.warning, Self.unsettled, ["remedy": "tell the developers what happened before"])
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

  /// What the log says of steps that went round in circles.
  static let unsettled = "radio did not settle"

  /// Begins an operation; its number comes back with how it ended.
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

/// Why there is no link to a board, for the caller that waited for one.
public struct LinkFailure: Hashable, Sendable {
  /// What kind of failure it is.
  public enum Kind: Hashable, Sendable {
    /// It was not heard.
    case notFound
    /// Every adapter has as many boards as it takes.
    case noRoom
    /// It was heard and could not be linked.
    case connectFailed
    /// It is no board of ours.
    case foreign
    /// It is in its bootloader.
    case bootloader
    /// No link can be made now, for this reason.
    case obstacle(Obstacle)
  }

  /// What kind of failure it is.
  public var kind: Kind
  /// The daemon's words, if it had any.
  public var text: String
}

/// What keeps every board from being linked.
public enum Obstacle: Hashable, Sendable {
  /// bluetoothd does not run.
  case daemonMissing
  /// There is no adapter, or not the one that was chosen.
  case noAdapter
  /// The adapter is off and stays so.
  case off
  /// The radio is blocked by rfkill.
  case blocked
  /// The bus's policy forbids it.
  case denied(String)
}

/// An adapter by what does not change when it is plugged in again.
struct AdapterKey: Hashable, Comparable, Sendable {
  let text: String

  /// By its address; one that shows none is known by its path.
  init(_ adapter: Adapter) {
    text = adapter.address?.description ?? adapter.path
  }

  static func < (left: AdapterKey, right: AdapterKey) -> Bool { left.text < right.text }
}
