public import DBus
internal import LinuxSystem
public import Values

/// Establishes and monitors links to boards over all adapters. `Radio` makes the decisions; this
/// actor carries them out.
///
/// Links to the first board in range, reads its model number, and closes the link:
///
///     var models: [[UInt8]] = []
///     let radio = try await BlueZRadio(bus, Radio.Settings(shape: shape))
///     let found = try await radio.scan(seconds: 10) { !$0.isEmpty }
///     for board in found.map(\.address).prefix(1) {
///       let link = try await radio.link(to: board)
///       models.append(try await link.read(modelNumber))
///       await radio.release(board)
///     }
///     await radio.close()
public actor BlueZRadio {
  /// Handlers through which the radio informs its owner, or requests the reset of a USB port.
  public struct Listener: Sendable {
    /// Receives messages for the user.
    public var remark: @Sendable (LogEvent) -> Void
    /// Called with the boards whose data may be delayed because another board is being connected.
    public var disturbed: @Sendable ([BoardAddress]) -> Void
    /// Called with the obstacle that prevents all links, or with `nil` once the obstacle is gone.
    public var obstructed: @Sendable (BlueZError?) -> Void
    /// Called with all boards that are waiting for a link because every adapter is full.
    public var crowdedOut: @Sendable (Set<BoardAddress>) -> Void
    /// Called when the adapter with this name is being power-cycled.
    public var switched: @Sendable (String) -> Void
    /// Resets the USB port of the adapter with this name. Called while the adapter is off.
    public var resetPort: @Sendable (String) async -> Void
    /// Called with all boards that the daemon reports as linked.
    public var linked: @Sendable (Set<BoardAddress>) -> Void

    public init(
      remark: @escaping @Sendable (LogEvent) -> Void = { _ in },
      disturbed: @escaping @Sendable ([BoardAddress]) -> Void = { _ in },
      obstructed: @escaping @Sendable (BlueZError?) -> Void = { _ in },
      crowdedOut: @escaping @Sendable (Set<BoardAddress>) -> Void = { _ in },
      linked: @escaping @Sendable (Set<BoardAddress>) -> Void = { _ in },
      switched: @escaping @Sendable (String) -> Void = { _ in },
      resetPort: @escaping @Sendable (String) async -> Void = { _ in }
    ) {
      self.remark = remark
      self.disturbed = disturbed
      self.obstructed = obstructed
      self.crowdedOut = crowdedOut
      self.switched = switched
      self.resetPort = resetPort
      self.linked = linked
    }
  }

  let address: BusAddress
  let settings: Radio.Settings
  let listener: Listener
  let client: BlueZClient
  private var radio: Radio
  private var watching: Task<Void, Never>?
  private var alarm: Task<Void, Never>?
  /// Callers that are waiting for a board's link to be established or closed.
  private var waiting: [BoardAddress: Waiting] = [:]
  private var leaving: [BoardAddress: [CheckedContinuation<Void, Never>]] = [:]
  private var waits = 0
  /// Callers that are waiting until no adapter is being power-cycled.
  private var settling: [CheckedContinuation<Void, Never>] = []
  private var isBusGone = false
  /// The obstacle last reported to the listener.
  private var obstacle: Obstacle?
  /// The boards last reported to the listener as waiting because every adapter is full.
  private var crowdedOut: Set<BoardAddress> = []
  /// The linked boards last reported to the listener.
  private var linked: Set<BoardAddress> = []
  /// Whether the radio disconnected from the bus during shutdown because the daemon did not respond
  /// in time.
  public private(set) var hasLeftBus = false
  /// The task that disconnects from the bus when the time allowed for the shutdown has run out.
  private var expiry: Task<Void, Never>?
  /// The delivery method for each board's notifications. Contains only boards whose descriptor the
  /// daemon refused.
  var ways: [BoardAddress: SubscriptionWay] = [:]

  private struct Waiting {
    let number: Int
    let continuation: CheckedContinuation<Result<String, BlueZError>, Never>
  }

  /// Connects to the bus. The daemon need not be running yet.
  public init(
    _ address: BusAddress, _ settings: Radio.Settings, _ listener: Listener = Listener()
  ) async throws(BlueZError) {
    self.address = address
    self.settings = settings
    self.listener = listener
    radio = Radio(settings)
    client = try await BlueZClient(address, settings.shape)
    // Handle the events in order: the client's current state may already include later events.
    if let first = await client.events.next() { handle(first) }
    watching = Task { [weak self, events = client.events] in
      while let event = await events.next() { await self?.handle(event) }
      await self?.busEnded()
    }
  }

  /// Without the bus, links cannot be tracked.
  private func busEnded() {
    guard !isBusGone else { return }
    isBusGone = true
    if !hasLeftBus { listener.obstructed(Self.noBus) }
    for board in radio.active { letGo(board) }
    for waiter in waiting.values { waiter.continuation.resume(returning: .failure(Self.noBus)) }
    waiting.removeAll()
    resumeSettling()
  }

  private static let noBus = BlueZError(
    .daemonMissing, "the bus closed the connection", remedy: "start D-Bus, then restart Footbridge")

  /// Seconds allowed for an orderly shutdown: closing a link takes two, and stopping a board takes
  /// one. A service has five seconds in total to stop, and a slow disk may use one of them.
  public static let endSeconds = 3.5

  /// Limits the rest of the shutdown to `seconds`. After that, the radio disconnects from the bus
  /// and every pending call fails, so that an unresponsive daemon cannot prevent the program from
  /// exiting.
  public func end(within seconds: Double = endSeconds) {
    guard expiry == nil else { return }
    handle(.ending)
    expiry = Task { [weak self] in
      try? await Pause.seconds(seconds)
      if !Task.isCancelled { await self?.leaveBus() }
    }
  }

  private func leaveBus() async {
    hasLeftBus = true
    listener.remark(
      LogEvent(.warning, "bluetoothd does not respond", ["remedy": "boards may stay connected"]))
    await client.close()
    busEnded()
  }

  /// Closes the radio's links and disconnects from the bus.
  public func close() async {
    handle(.ending)
    // An adapter that is being power-cycled must be switched on again before the program exits.
    if !isBusGone, isSwitching {
      await withCheckedContinuation { settling.append($0) }
    }
    let boards = radio.active
    // All links are closed at the same time, because each takes about two seconds to close.
    for address in boards { handle(.release(address)) }
    for address in boards { await release(address) }
    expiry?.cancel()
    alarm?.cancel()
    watching?.cancel()
    await client.close()
  }

  public var sight: Sight {
    get async { await client.sight }
  }

  // MARK: Adapters

  /// The condition of each active adapter, from which its health is assessed.
  public var conditions: [AdapterCondition] { radio.conditions }

  /// Closes a malfunctioning adapter's links, then power-cycles the adapter. With `resetsPort`, the
  /// USB port is reset while the adapter is off.
  public func revive(adapter path: String, resetsPort: Bool, reason: String) {
    handle(.revive(adapter: path, resetsPort: resetsPort, reason: reason))
  }

  private var isSwitching: Bool { radio.conditions.contains(where: \.isBusy) }

  private func resumeSettling() {
    for continuation in settling { continuation.resume() }
    settling = []
  }

  // MARK: Scanning

  /// Scans for `seconds`, or until `enough` returns `true`. `enough` is called at least twice per
  /// second. Its argument contains the linked devices and the devices heard since the scan started.
  ///
  /// Throws if no adapter can scan.
  @discardableResult
  public func scan(
    seconds: Double?, until enough: @escaping @Sendable ([Device]) -> Bool
  ) async throws(BlueZError) -> [Device] {
    let began = now
    handle(.scan(true))
    defer { handle(.scan(false)) }
    let end = seconds.map { began + $0 } ?? .infinity
    var seen: [Device] = []
    while now < end, !Task.isCancelled {
      if let obstacle = radio.obstacle { throw BlueZError(obstacle, settings, radio.sight) }
      // If the daemon's objects change between this snapshot and the wait below, the wait ends
      // immediately.
      let before = await client.sight
      seen = before.devices.filter { $0.isConnected || ($0.lastHeard ?? 0) >= began }
      if enough(seen) { break }
      _ = await client.wait(seconds: min(0.5, end - now)) { $0 != before }
    }
    return seen
  }

  /// Scans in short windows, as adapters with streaming boards do, until `enough` returns `true`.
  /// If an obstacle prevents scanning, waits until the obstacle is gone. Returns an empty array if
  /// the task is cancelled.
  public func lookOut(until enough: @escaping @Sendable ([Device]) -> Bool) async -> [Device] {
    while !Task.isCancelled {
      try? await Pause.seconds(Radio.windowPeriod - Radio.windowSeconds)
      guard let devices = try? await scan(seconds: Radio.windowSeconds, until: enough) else {
        continue
      }
      if enough(devices) { return devices }
    }
    return []
  }

  // MARK: Links

  /// Links to a board and enables its notifications. Without `patience`, waits indefinitely.
  ///
  /// Only one caller at a time may wait for a given board.
  public func link(
    to board: BoardAddress, _ patience: Radio.Patience? = nil, mayPair: Bool = false
  ) async throws(BlueZError) -> DeviceLink {
    var links = 0
    while true {
      let path = try await up(board, patience)
      links += 1
      switch await subscribe(board, path, mayPair: mayPair) {
      case .success(let link):
        if let link { return link }
        // Every logged attempt must be followed by a log entry that reports its outcome.
        listener.remark(
          LogEvent(
            .detail, "link not kept",
            ["board": board.description, "reason": "dropped before notifications were enabled"]))
        if let patience, links >= patience.attempts {
          await release(board)
          throw BlueZError(
            .connectFailed, "cannot keep a link to \(board)",
            remedy: "move the board closer and check its battery")
        }
      case .failure(let error):
        if error.kind == .held { handle(.abandon(board)) } else { await release(board) }
        throw error
      }
    }
  }

  /// Records that a board is streaming. Its adapter then scans for other boards only in short
  /// windows.
  public func streams(_ board: BoardAddress) {
    handle(.streaming(board))
  }

  /// Returns when the link is down, or when closing it has taken too long.
  public func release(_ board: BoardAddress) async {
    guard radio.active.contains(board), !isBusGone else { return }
    await withCheckedContinuation { continuation in
      leaving[board, default: []].append(continuation)
      handle(.release(board))
    }
  }

  /// Makes the daemon forget a board on every adapter. Returns `false` if the daemon did not know
  /// the board.
  public func forget(_ board: BoardAddress) async throws(BlueZError) -> Bool {
    await release(board)
    let sight = await client.sight
    guard sight.isDaemonPresent else { throw BlueZError(.daemonMissing, settings, sight) }
    let devices = sight.devices.filter { $0.address == board }
    for device in devices {
      do {
        try await client.call(
          "RemoveDevice", on: device.adapterPath, of: BlueZName.adapter,
          [.objectPath(device.path)])
      } catch {
        guard Refusal(error).kind == .gone else { throw BlueZError(error) }
      }
    }
    return !devices.isEmpty
  }

  /// Waits until a board is linked. Returns the path of the board's device object.
  private func up(
    _ board: BoardAddress, _ patience: Radio.Patience?
  ) async throws(BlueZError) -> String {
    waits += 1
    let number = waits
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<String, BlueZError>, Never>) in
        guard !Task.isCancelled, !isBusGone else {
          let reason = isBusGone ? Self.noBus : Self.cancelled(board)
          return continuation.resume(returning: .failure(reason))
        }
        precondition(waiting[board] == nil, "only one caller at a time may wait for a board")
        waiting[board] = Waiting(number: number, continuation: continuation)
        handle(.want(board, patience))
      }
    } onCancel: {
      Task { await self.withdraw(board, number) }
    }
    return try outcome.get()
  }

  private func withdraw(_ board: BoardAddress, _ number: Int) async {
    guard let waiter = waiting[board], waiter.number == number else { return }
    waiting[board] = nil
    await release(board)
    waiter.continuation.resume(returning: .failure(Self.cancelled(board)))
  }

  private static func cancelled(_ board: BoardAddress) -> BlueZError {
    BlueZError(
      .connectFailed, "stopped while connecting to \(board)", remedy: "start Footbridge again")
  }

  // MARK: Performing

  func handle(_ event: Radio.Event) {
    perform(radio.handle(event, at: now))
    tellOfObstacle()
    tellOfRoom()
    tellOfLinks()
    if !settling.isEmpty, !isSwitching { resumeSettling() }
    setAlarm()
  }

  private func tellOfObstacle() {
    let present = radio.obstacle
    guard present != obstacle, !isBusGone else { return }
    obstacle = present
    listener.obstructed(present.map { BlueZError($0, settings, radio.sight) })
  }

  private func tellOfRoom() {
    let present = radio.boardsWithoutRoom
    guard present != crowdedOut else { return }
    crowdedOut = present
    listener.crowdedOut(present)
  }

  private func tellOfLinks() {
    let present = Set(radio.sight.devices.lazy.filter(\.isConnected).map(\.address))
    guard present != linked else { return }
    linked = present
    listener.linked(present)
  }

  private func perform(_ actions: [Radio.Action]) {
    for action in actions {
      switch action {
      case .begin(let operation): begin(operation)
      case .up(let board, let path):
        waiting.removeValue(forKey: board)?.continuation.resume(returning: .success(path))
      case .down:
        // The descriptor reports the dropped link to the reader, after the last notification.
        break
      case .failed(let board, let failure):
        waiting.removeValue(forKey: board)?.continuation.resume(
          returning: .failure(BlueZError(failure, to: board, settings, radio.sight)))
        letGo(board)
      case .left(let board): letGo(board)
      case .disturbed(let boards): listener.disturbed(boards)
      case .switched(let adapter): listener.switched(Self.name(ofAdapter: adapter))
      case .remark(let remark): listener.remark(remark)
      }
    }
  }

  private func letGo(_ board: BoardAddress) {
    for continuation in leaving.removeValue(forKey: board) ?? [] { continuation.resume() }
  }

  private func setAlarm() {
    alarm?.cancel()
    guard let wake = radio.nextWake else { return }
    let pause = max(0, wake - now)
    alarm = Task { [weak self] in
      try? await Pause.seconds(pause)
      if !Task.isCancelled { await self?.handle(.time) }
    }
  }

  /// Starts an operation. The calls reach the daemon in the order in which the operations were
  /// started.
  private func begin(_ operation: Radio.Operation) {
    switch operation.kind {
    case .power(let adapter, let isOn):
      call(
        operation, "Set", on: adapter, of: BlueZName.properties,
        [.string(BlueZName.adapter), .string("Powered"), .variant(.boolean(isOn))], deadline: 10)
    case .resetPort(let adapter):
      Task { [listener] in
        await listener.resetPort(Self.name(ofAdapter: adapter))
        handle(.ended(operation, nil))
      }
    case .startDiscovery(let adapter):
      // Boards do not reliably advertise their service, so the filter specifies only the transport.
      // If the daemon refuses the filter, it reports more devices, which the radio filters anyway.
      let filter = BusValue.properties([
        "Transport": .string("le"), "DuplicateData": .boolean(false),
      ])
      client.bus.send(
        BusCall(
          "SetDiscoveryFilter", on: adapter, of: BlueZName.adapter, at: BlueZName.service, [filter],
          deadline: BlueZClient.quickDeadline)
      ) { _ in }
      call(operation, "StartDiscovery", on: adapter, of: BlueZName.adapter)
    case .stopDiscovery(let adapter):
      call(operation, "StopDiscovery", on: adapter, of: BlueZName.adapter)
    case .connect(let device):
      call(operation, "Connect", on: device, of: BlueZName.device, deadline: 40)
    case .disconnect(let device):
      call(operation, "Disconnect", on: device, of: BlueZName.device, deadline: 6)
    case .remove(let device, let adapter):
      call(operation, "RemoveDevice", on: adapter, of: BlueZName.adapter, [.objectPath(device)])
    case .reread:
      Task { [client] in await client.reread(operation) }
    }
  }

  private func call(
    _ operation: Radio.Operation, _ member: String, on path: String, of interface: String,
    _ arguments: [BusValue] = [], deadline: Double = BlueZClient.quickDeadline
  ) {
    client.begin(
      operation,
      by: BusCall(
        member, on: path, of: interface, at: BlueZName.service, arguments, deadline: deadline))
  }

  private static func name(ofAdapter path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private nonisolated var now: Double { Double(BootClock.now().nanoseconds) / 1e9 }
}
