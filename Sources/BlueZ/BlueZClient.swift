public import DBus

/// A client of bluetoothd: keeps its object tree and waits for what it should become.
public actor BlueZClient {
  /// Seconds for a call that the daemon answers from memory.
  static let quickDeadline = 5.0

  private let bus: BusClient
  private var tree = ObjectTree()
  /// Signals that came before the first listing; they are applied after it.
  private var early: [BusSignal]? = []
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0
  private var listening: Task<Void, Never>?

  private struct Waiter {
    var check: (ObjectTree) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  /// Connects to the bus and reads the daemon's objects.
  public init(_ address: BusAddress) async throws {
    do {
      bus = try BusClient(address)
    } catch let error as BusError {
      throw BlueZError(error)
    }
    try await start()
  }

  /// Leaves the bus. Links of boards are not touched.
  public func close() {
    listening?.cancel()
    bus.close()
  }

  private func start() async throws(BlueZError) {
    listening = Task { [weak self, signals = bus.signals] in
      for await signal in signals { await self?.receive(signal) }
    }
    // Matches come first: an object that appears while we list the others must not be missed.
    let rules = [
      "type='signal',sender='\(BlueZName.bus)',member='NameOwnerChanged',"
        + "arg0='\(BlueZName.service)'",
      "type='signal',sender='\(BlueZName.service)',path='/',"
        + "interface='\(BlueZName.objectManager)'",
      "type='signal',sender='\(BlueZName.service)',path_namespace='\(BlueZName.root)',"
        + "interface='\(BlueZName.properties)',member='PropertiesChanged'",
    ]
    for rule in rules {
      try await call("AddMatch", on: "/", of: BlueZName.bus, at: BlueZName.bus, [.string(rule)])
    }
    let listing = try await call(
      "GetManagedObjects", on: "/", of: BlueZName.objectManager, deadline: 10)
    if let objects = listing.first { tree.replace(with: objects) }
    let late = early ?? []
    early = nil
    for signal in late { receive(signal) }
  }

  private func receive(_ signal: BusSignal) {
    if early != nil {
      early?.append(signal)
      return
    }
    if signal.member == "NameOwnerChanged", signal.arguments.count == 3 {
      // Without an owner nothing we knew is true any more.
      if signal.arguments[2].text == "" { tree.removeAll() }
    } else if !tree.apply(signal) {
      return
    }
    for (number, waiter) in waiters where waiter.check(tree) {
      waiters[number] = nil
      waiter.continuation.resume(returning: true)
    }
  }

  /// The objects as known now.
  public var objects: ObjectTree { tree }

  /// Waits until the tree satisfies `condition`; `false` when `seconds` pass before.
  public func wait(
    seconds: Double, until condition: @escaping @Sendable (ObjectTree) -> Bool
  ) async -> Bool {
    if condition(tree) { return true }
    let number = nextWaiter
    nextWaiter += 1
    let expiry = Task { [weak self] in
      try? await Task.sleep(for: .seconds(seconds))
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

  /// Calls a method of the daemon.
  @discardableResult
  func call(
    _ member: String, on path: String, of interface: String, at service: String = BlueZName.service,
    _ arguments: [BusValue] = [], deadline: Double = BlueZClient.quickDeadline
  ) async throws(BlueZError) -> [BusValue] {
    do {
      return try await bus.call(
        BusCall(
          member, on: path, of: interface, at: service, arguments, deadline: deadline))
    } catch {
      throw BlueZError(error)
    }
  }

  /// Calls a method of the daemon and lets the caller judge its error.
  func attempt(_ call: BusCall) async throws(BusError) -> [BusValue] {
    try await bus.call(call)
  }
}
