public import DBus
internal import LinuxSystem
internal import Values

/// Connects the program to bluetoothd. Mirrors the daemon's objects by following its signals, and
/// calls its methods.
///
/// The client outlives the daemon: it discards all objects when the daemon exits, and reads them
/// again when the daemon restarts.
public actor BlueZClient {
  /// Time limit, in seconds, for calls that the daemon can answer from memory.
  static let quickDeadline = 5.0
  private static let listingDeadline = 10.0

  nonisolated let bus: BusClient
  private let shape: GATTShape
  private var tree = ObjectTree()
  private var isDaemonPresent = false
  /// Signals that arrived while objects were being listed, to be applied after the last listing.
  /// `nil` when no listing is in progress.
  private var early: [News]?
  private var listings = 0
  /// Each device's last advertisement: its time (in seconds on the boot clock) and its signal
  /// strength (in dBm). The daemon discards the signal strength when no client is scanning.
  private var heard: [String: (time: Double, rssi: Int)] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0
  private var listening: Task<Void, Never>?
  private nonisolated let news: EventQueue<News>
  /// Delivers every change to the daemon's objects, and each operation's outcome after the changes
  /// that preceded it. Supports a single consumer. The queue ends when the bus connection does.
  nonisolated let events = EventQueue<Radio.Event>()

  private enum News {
    case signal(BusSignal)
    case ended(Radio.Operation, Refusal?)
  }

  private struct Waiter {
    var check: (Sight) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  /// Connects to the bus and, if the daemon is running, reads its objects.
  public init(_ address: BusAddress, _ shape: GATTShape) async throws(BlueZError) {
    self.shape = shape
    let news = EventQueue<News>()
    self.news = news
    do {
      bus = try await BusClient.connect(address) { news.finish() }
    } catch let error as BusError {
      throw BlueZError(error)
    } catch is CancellationError {
      throw BlueZError(
        .connectFailed, "stopped while connecting to the bus", remedy: "start Footbridge again")
    } catch {
      throw BlueZError(.refused, "\(error)", remedy: "stop other programs and try again")
    }
    try await start()
  }

  /// Match rules for the signals that the client follows. Property changes are matched by
  /// interface. This filters out other clients' notifications, which arrive as changes to a
  /// characteristic's `Value`.
  private static var rules: [SignalRule] {
    let owner = SignalRule(
      "NameOwnerChanged", of: BlueZName.bus, from: BlueZName.bus,
      firstArgument: BlueZName.service)
    let objects = ["InterfacesAdded", "InterfacesRemoved"].map {
      SignalRule($0, of: BlueZName.objectManager, from: BlueZName.service, path: "/")
    }
    let properties = [BlueZName.adapter, BlueZName.device, BlueZName.battery].map {
      SignalRule(
        "PropertiesChanged", of: BlueZName.properties, from: BlueZName.service,
        below: BlueZName.root, firstArgument: $0)
    }
    return [owner] + objects + properties
  }

  /// Disconnects from the bus. Links to boards stay up.
  public func close() {
    bus.close()
    listening?.cancel()
    events.finish()
  }

  private func start() async throws(BlueZError) {
    listening = Task { [weak self, news] in
      while let piece = await news.next() { await self?.receive(piece) }
      await self?.end()
    }
    do throws(BusError) {
      try await open()
    } catch {
      // A missing daemon is not a failure: the daemon may start later.
      guard error.kind == .serviceUnknown else { throw BlueZError(error) }
    }
    changed()
  }

  /// Subscribes to the daemon's signals and reads all its objects. If the task is cancelled, the
  /// call does not wait for an unresponsive daemon.
  private func open() async throws(BusError) {
    // Signals report only changes, so the initial objects must be listed.
    early = []
    let outcome = await withTaskCancellationHandler { () async -> Result<Void, BusError> in
      do throws(BusError) {
        for rule in Self.rules {
          try await bus.listen(to: rule) { [news] in news.post(.signal($0)) }
        }
        // If the bus can activate the daemon, this call starts it.
        try await list()
        return .success(())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      // Do not wait here: the cancelled task cannot receive a reply until this handler returns.
      bus.hangUp()
    }
    try outcome.get()
  }

  /// Reads all objects, then applies the signals that arrived during the listing.
  private func list() async throws(BusError) {
    early = early ?? []
    listings += 1
    let outcome: Result<[BusValue], BusError>
    do throws(BusError) {
      outcome = .success(
        try await bus.call(
          BusCall(
            "GetManagedObjects", on: "/", of: BlueZName.objectManager, at: BlueZName.service,
            deadline: Self.listingDeadline)))
    } catch {
      outcome = .failure(error)
    }
    listings -= 1
    if case .success(let answer) = outcome, let objects = answer.first {
      isDaemonPresent = true
      tree.replace(with: objects)
      noteHeard()
    }
    // While another listing is running, the signals stay queued. The reply to that listing replaces
    // all objects, and may be older than the signals.
    if listings == 0 { takeEarly() }
    changed()
    _ = try outcome.get()
  }

  private func takeEarly() {
    let late = early ?? []
    early = nil
    for case .signal(let signal) in late { apply(signal) }
    changed()
    for case .ended(let operation, let refusal) in late { events.post(.ended(operation, refusal)) }
  }

  /// Reads the objects of a daemon that has just started and may be too busy to respond at first.
  private func listNewcomer() async {
    while !isDaemonPresent {
      do throws(BusError) {
        try await list()
      } catch {
        // If the daemon exits again, its objects are listed the next time it starts.
        guard ![.disconnected, .serviceUnknown, .accessDenied].contains(error.kind) else { return }
        try? await Pause.seconds(1)
      }
    }
  }

  /// Records the current time and signal strength for every device with a known signal strength.
  /// The strength is known only while a scan is receiving the device's advertisements.
  private func noteHeard() {
    for device in tree.devices { hear(device.path) }
  }

  private func hear(_ path: String) {
    guard let rssi = tree.device(at: path)?.rssi else { return }
    heard[path] = (now, rssi)
  }

  private func receive(_ piece: News) {
    if early != nil {
      early?.append(piece)
      return
    }
    switch piece {
    case .signal(let signal): if apply(signal) { changed() }
    case .ended(let operation, let refusal): events.post(.ended(operation, refusal))
    }
  }

  @discardableResult
  private func apply(_ signal: BusSignal) -> Bool {
    if signal.member == "NameOwnerChanged" { return ownerChanged(signal.arguments) }
    guard tree.apply(signal) else { return false }
    switch signal.member {
    case "PropertiesChanged":
      let changed = signal.arguments.dropFirst().first?.properties ?? [:]
      if changed["RSSI"] != nil || changed["ManufacturerData"] != nil { hear(signal.path) }
    case "InterfacesAdded":
      guard let path = signal.arguments.first?.text else { break }
      hear(path)
    default:
      guard let path = signal.arguments.first?.text else { break }
      if tree.device(at: path) == nil { heard[path] = nil }
    }
    return true
  }

  private func ownerChanged(_ arguments: [BusValue]) -> Bool {
    guard arguments.count == 3 else { return false }
    // A new owner of the bus name means that another daemon is running. Everything known about the
    // old daemon is invalid.
    forget()
    if arguments[2].text?.isEmpty == false { Task { await listNewcomer() } }
    return true
  }

  private func forget() {
    isDaemonPresent = false
    tree.removeAll()
    heard.removeAll()
  }

  /// Discards everything known about the daemon after the bus connection has ended.
  private func end() {
    forget()
    changed()
    events.finish()
  }

  // MARK: Looking

  /// Callers never receive the object tree itself: changing the tree while a copy exists would
  /// duplicate the whole tree.
  func device(at path: String) -> (device: Device, characteristics: [Characteristic])? {
    tree.device(at: path).map { ($0, tree.characteristics(ofDevice: path)) }
  }

  public var sight: Sight {
    Sight(
      isDaemonPresent: isDaemonPresent, adapters: tree.adapters,
      devices: tree.devices.map { device in
        var device = device
        device.lastHeard = heard[device.path]?.time
        device.rssi = device.rssi ?? heard[device.path]?.rssi
        device.structure = tree.structure(ofDevice: device.path, shape)
        return device
      })
  }

  /// Lists all objects again. Reports the operation as complete even if the listing fails.
  func reread(_ operation: Radio.Operation) async {
    try? await list()
    news.post(.ended(operation, nil))
  }

  private func changed() {
    let sight = sight
    events.post(.sight(sight))
    for (number, waiter) in waiters where waiter.check(sight) {
      waiters[number] = nil
      waiter.continuation.resume(returning: true)
    }
  }

  /// Waits until the daemon's objects satisfy `condition`. Returns `false` after `seconds`, or if
  /// the task is cancelled.
  public func wait(
    seconds: Double, until condition: @escaping @Sendable (Sight) -> Bool
  ) async -> Bool {
    if condition(sight) { return true }
    let number = nextWaiter
    nextWaiter += 1
    let expiry = Task { [weak self] in
      try? await Pause.seconds(seconds)
      await self?.expire(number)
    }
    defer { expiry.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          waiters[number] = Waiter(check: condition, continuation: continuation)
        }
      }
    } onCancel: {
      expiry.cancel()
    }
  }

  private func expire(_ number: Int) {
    waiters.removeValue(forKey: number)?.continuation.resume(returning: false)
  }

  private nonisolated var now: Double { Double(BootClock.now().nanoseconds) / 1e9 }

  // MARK: Calling

  /// Calls the daemon method that an operation requires. The outcome is posted to `events` after
  /// the signals that preceded the reply.
  nonisolated func begin(_ operation: Radio.Operation, by call: BusCall) {
    bus.send(call) { [news] outcome in
      switch outcome {
      case .success: news.post(.ended(operation, nil))
      case .failure(let error): news.post(.ended(operation, Refusal(error)))
      }
    }
  }

  @discardableResult
  nonisolated func call(
    _ member: String, on path: String, of interface: String, _ arguments: [BusValue] = [],
    deadline: Double = BlueZClient.quickDeadline
  ) async throws(BusError) -> [BusValue] {
    try await bus.call(
      BusCall(
        member, on: path, of: interface, at: BlueZName.service, arguments, deadline: deadline))
  }

  nonisolated func set(
    _ property: String, of interface: String, on path: String, to value: BusValue
  ) async throws(BusError) {
    try await call(
      "Set", on: path, of: BlueZName.properties,
      [.string(interface), .string(property), .variant(value)])
  }
}
