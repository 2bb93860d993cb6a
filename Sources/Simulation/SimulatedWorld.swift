public import DBus
internal import LinuxSystem
public import Values

/// A complete simulated setup for recordings: a bus, a Bluetooth daemon with boards, and a
/// receiver. It removes all its files when it stops.
///
/// Any BlueZ client can see the boards. This example lists the daemon's objects:
///
///     let world = try SimulatedWorld(boards: 2)
///     let client = try await BusClient.connect(.at(world.busAddress))
///     let answer = try await client.call(
///       BusCall(
///         "GetManagedObjects", on: "/", of: "org.freedesktop.DBus.ObjectManager", at: "org.bluez",
///         deadline: 10))
///     client.close()
///     world.stop()
public final class SimulatedWorld: Sendable {
  /// A board in the simulated world.
  public struct Board: Hashable, Sendable {
    public var address: BoardAddress
    public var name: String
    /// The vendor's name for the model.
    public var model: String
  }

  /// The bus that the daemon is connected to.
  public let bus: BusAddress
  /// The adapters' addresses, in the adapters' order.
  public let adapters: [BoardAddress]
  /// The boards, nearest first.
  public let boards: [Board]
  /// Path of the receiver's pseudo-terminal or pipe; `nil` if there is no receiver.
  public let receiverPath: String?

  /// The bus's process; `nil` if the bus is inside this process.
  private let privateBus: PrivateBus?
  /// The folder that contains the receiver's named pipe, on a simulated computer.
  private let pipes: TemporaryFolder?
  private let daemon: SimulatedDaemon
  private let receiver: SimulatedReceiverLine?

  /// Starts a world with this many boards of a model. Every adapter hears every board.
  ///
  /// On a simulated computer's thread, the world belongs to that computer: its bus is inside the
  /// process, and its receiver writes to a named pipe.
  ///
  /// - Parameters:
  ///   - wearer: The motion that the boards measure.
  ///   - faults: Faults for each board, with times in seconds after the start.
  ///   - settings: Other properties of the adapters and the daemon.
  ///   - witness: Called for each delivery of data from the radio to a client.
  public init(
    boards count: Int, adapters: Int = 1, model: BoardModel = .metaMotionS,
    hasReceiver: Bool = true, seed: UInt64 = 1, wearer: WearerKind = .walking,
    faults: [ScheduledFault] = [], daemon settings: DaemonSettings = DaemonSettings(),
    witness: DeliveryWitness? = nil
  ) throws {
    var settings = settings
    settings.adapters = max(settings.adapters, adapters)
    let boards = Self.boards(count, model: model, seed: seed, wearer: wearer, faults: faults)
    if let time = SimulatedTime.current {
      privateBus = nil
      bus = .inProcess(InProcessBus())
      let pipes = hasReceiver ? try TemporaryFolder(prefix: "footbridge-sim") : nil
      self.pipes = pipes
      (daemon, receiver) = try time.outside { [bus, settings] in
        (
          try SimulatedDaemon(bus, boards: boards, settings: settings, witness: witness),
          try pipes.map {
            try SimulatedReceiverLine(
              SimulatedReceiver(route: wearer.route, seed: seed), intoPipe: $0.path + "/gps",
              clock: { time.trueTime }, witness: { _, _ in })
          }
        )
      }
    } else {
      let privateBus = try PrivateBus()
      self.privateBus = privateBus
      bus = .at(privateBus.address)
      pipes = nil
      daemon = try SimulatedDaemon(bus, boards: boards, settings: settings, witness: witness)
      receiver =
        hasReceiver
        ? try SimulatedReceiverLine(SimulatedReceiver(route: wearer.route, seed: seed)) : nil
    }
    receiverPath = receiver?.path
    self.adapters = (0..<settings.adapters).map { SimulatedAdapter(number: $0).address }
    self.boards = boards.map {
      Board(address: $0.address, name: $0.advertisedName, model: $0.model.name)
    }
  }

  /// The bus's address, for `DBUS_SYSTEM_BUS_ADDRESS`; empty if the bus is inside the process.
  public var busAddress: String { privateBus?.address ?? "" }

  /// The bus's process id, for measuring its resource use.
  public var busProcess: Int32 { privateBus?.process ?? 0 }

  /// Each board's current counts, in the order of `boards`.
  public var boardCounts: [BoardCounts] { daemon.boardCounts }

  /// Immediately starts a fault in the board at this index in `boards`.
  public func inject(_ fault: BoardFault, into board: Int) {
    daemon.inject(fault, into: board)
  }

  /// Immediately starts a daemon fault. An adapter fault affects the adapter at this index. A board
  /// fault affects the board at this index, or all boards if `board` is `nil`.
  public func inject(_ fault: DaemonFault, adapter: Int = 0, board: Int? = nil) {
    daemon.inject(fault, adapter: adapter, board: board)
  }

  /// Delivers a notification as if the board at this index had sent it, for measuring the path from
  /// the board to the client.
  public func notify(_ bytes: [UInt8], board: Int) {
    daemon.notify(bytes, board: board)
  }

  /// Descriptions, in chronological order, of client behaviour that would fail with a real daemon
  /// or real boards. Commands that a board itself ignores are listed in its counts.
  public var complaints: [String] { daemon.complaints }

  /// Shuts everything down: closes the links, stops the bus and closes the receiver's line.
  public func stop() {
    receiver?.stop()
    daemon.stop()
    privateBus?.stop()
  }

  /// Creates a world's boards without starting the world; see `init`.
  public static func boards(
    _ count: Int, model: BoardModel = .metaMotionS, seed: UInt64 = 1,
    wearer: WearerKind = .walking, faults: [ScheduledFault] = []
  ) -> [SimulatedBoard] {
    (0..<count).map { number in
      var board = board(model, number: number, seed: seed, wearer)
      for fault in faults { board.inject(fault.fault, at: fault.time) }
      return board
    }
  }

  /// Creates one board. All boards have the same wearer; each has its own crystal, between 0.3 %
  /// fast and 0.3 % slow.
  private static func board(_ model: BoardModel, number: Int, seed: UInt64, _ wearer: WearerKind)
    -> SimulatedBoard
  {
    // The first two bits of a random static address are set. The vendor's boards usually have such
    // addresses.
    let address = BoardAddress(value: 0xc8_4b_aa_97_50_05 &+ UInt64(number) &* 0x01_01_03)
    var board = SimulatedBoard(
      model, address: address, wearer: wearer.wearer(seed: seed, board: number), seed: seed,
      clockFactor: SimulatedBoard.defaultClockFactor - 0.0007 * Double(number % 10))
    board.route = wearer.route
    return board
  }
}
