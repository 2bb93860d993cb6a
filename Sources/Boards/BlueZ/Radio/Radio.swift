internal import Recording
public import Values

/// Assigns boards to adapters, and decides the next steps for the boards that are not linked. It is
/// a value type, with events in and actions out, without a clock.
///
/// Its events are the daemon's objects (`Sight`), requests for links, and the outcomes of its
/// operations. It compares the present state with the wanted state, so the order of signals does
/// not matter. If an adapter, a board or the daemon disappears meanwhile, the next sight shows it.
///
/// Each adapter links one board at a time, and does not discover meanwhile.
public struct Radio: Sendable {
  public enum Event: Sendable {
    /// The daemon's objects changed to these.
    case sight(Sight)
    /// A caller wants a link to a board; without patience it waits as long as necessary.
    case want(BoardAddress, Patience?)
    /// End a board's link and make no other.
    case release(BoardAddress)
    /// A board's link belongs to another program: leave it alone and make no other.
    case abandon(BoardAddress)
    /// The daemon's view of a board is wrong: end its link and forget the device before the next
    /// link.
    case renew(BoardAddress)
    /// A board streams: its adapter no longer scans all the time.
    case streaming(BoardAddress)
    /// A caller starts or stops looking for boards.
    case scan(Bool)
    /// An adapter does not serve its boards: end its links, and switch it off and on. If the flag
    /// is set, its USB port is reset while it is off.
    case revive(adapter: String, resetsPort: Bool, reason: String)
    /// The end is near: no adapter is switched off any more.
    case ending
    case ended(Operation, Refusal?)
    /// The time requested by `nextWake` has come.
    case time
  }

  /// An action for the caller; actions are performed in order.
  public enum Action: Hashable, Sendable {
    /// Begin this operation, and report its outcome.
    case begin(Operation)
    /// A board is linked and its attributes are known.
    case up(BoardAddress, path: String)
    /// A board's link has dropped.
    case down(BoardAddress)
    /// A caller waits for a link to a board, but no link will be made.
    case failed(BoardAddress, LinkFailure)
    /// A released board has been let go.
    case left(BoardAddress)
    /// Another board is being linked over the same adapter, which may delay the data of these
    /// boards.
    case disturbed([BoardAddress])
    /// An adapter is switched off and on.
    case switched(adapter: String)
    /// Write this to the log.
    case remark(LogEvent)
  }

  /// An operation for the daemon.
  public struct Operation: Hashable, Sendable {
    /// Sequence number of the operation.
    public var number: Int
    public var kind: Kind

    /// The kind of operation, with object paths.
    public enum Kind: Hashable, Sendable {
      case power(adapter: String, Bool)
      /// Reset the USB port of an adapter.
      case resetPort(adapter: String)
      case startDiscovery(adapter: String)
      case stopDiscovery(adapter: String)
      case connect(device: String)
      case disconnect(device: String)
      case remove(device: String, adapter: String)
      /// List all objects again.
      case reread
    }
  }

  /// Limits of a caller's wait for a link.
  public struct Patience: Hashable, Sendable {
    /// Seconds to look for the board.
    public var seekSeconds: Double
    /// Attempts at a link; the first ones often fail at range or near Wi-Fi.
    public var attempts: Int

    public init(seekSeconds: Double = 15, attempts: Int = 4) {
      self.seekSeconds = seekSeconds
      self.attempts = attempts
    }
  }

  public struct Settings: Sendable {
    /// Adapters to use, by address; if empty, every adapter that is on, or the first if all are
    /// off.
    public var adapters: [BoardAddress]
    /// Maximum number of boards for one adapter.
    public var slots: Int
    /// The attributes by which a device counts as one of ours.
    public var shape: GATTShape
    /// Seconds within which the daemon has to turn notifications on.
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
  /// Whether the radio is about to end: an adapter that is switched off might then stay off.
  var isEnding = false
  /// Time at which the radio wants a `time` event.
  public internal(set) var nextWake: Double?
  var actions: [Action] = []
  private var operations = 0

  /// A radio that knows of no adapter and no board.
  public init(_ settings: Settings) {
    self.settings = settings
  }

  /// Handles an event that happened at `now`, in seconds of any monotonic clock.
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

  /// Boards that are linked, being linked or being let go.
  public var active: [BoardAddress] {
    boards.filter { $0.value.phase != .idle }.map(\.key).sorted()
  }

  /// Most rounds per board and adapter until everything has settled; three suffice.
  private static let roundsEach = 8
  /// Seconds after which a radio that did not settle tries again.
  private static let unsettledSeconds = 1.0

  /// Compares the present state with the wanted state until nothing is left to do.
  private mutating func settle(_ now: Double) {
    var done = -1
    var phases: [BoardAddress: BoardState.Phase] = [:]
    var rounds = 0
    // Each step advances some state, and no step repeats without an operation in between. A board
    // that advanced without an action may still have to wait for something, or have something to
    // report.
    while done != actions.count || phases != boards.mapValues(\.phase) {
      rounds += 1
      // A bug in the steps must neither keep a thread busy nor fill the memory with actions.
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

  /// Log message for steps that repeat without end.
  static let unsettled = "radio did not settle"

  /// Begins an operation; its number is returned, to match the operation's outcome.
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

/// The reason there is no link to a board, for the caller that waited for it.
public struct LinkFailure: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case notFound
    /// Every adapter has as many boards as it takes.
    case noRoom
    /// It was heard but could not be linked.
    case connectFailed
    /// It is not one of our boards.
    case foreign
    case bootloader
    /// No link can be made now, for this reason.
    case obstacle(Obstacle)
  }

  public var kind: Kind
  /// The daemon's message, if it sent one.
  public var text: String
}

/// An obstacle that keeps every board from being linked.
public enum Obstacle: Hashable, Sendable {
  /// bluetoothd is not running.
  case daemonMissing
  /// There is no adapter, or none of the chosen ones.
  case noAdapter
  /// The adapter is off and stays off.
  case off
  /// The radio is blocked by rfkill.
  case blocked
  /// The bus's policy forbids it, with the daemon's message.
  case denied(String)
}

/// Key of an adapter that stays the same when the adapter is plugged in again.
struct AdapterKey: Hashable, Comparable, Sendable {
  let text: String

  /// Its address; an adapter that shows none is known by its path.
  init(_ adapter: Adapter) {
    text = adapter.address?.description ?? adapter.path
  }

  static func < (left: AdapterKey, right: AdapterKey) -> Bool { left.text < right.text }
}
