@testable import BlueZ
import Recording
import Values

/// Runs a radio against a minimal daemon. The test sets the daemon's objects, completes operations,
/// and advances the time.
struct RadioPlay {
  static let first = BoardAddress(value: 0xc84b_aa97_5005)
  static let second = BoardAddress(value: 0xc84b_aa97_5006)
  static let service = "326a9000-85cb-9195-d9dd-464cfbbae75a"
  static let shape = GATTShape(
    service: service, command: "command", notify: "notify", bootloader: "boot")

  var radio: Radio
  var sight: Sight
  var now = 1_000.0
  /// Operations in progress, oldest first.
  var open: [Radio.Operation] = []
  /// All actions so far, as text.
  var log: [String] = []

  /// Creates a daemon with the given number of adapters, all powered on.
  init(adapters: Int = 1, chosen: [BoardAddress] = [], slots: Int = 5) {
    radio = Radio(Radio.Settings(adapters: chosen, slots: slots, shape: Self.shape))
    sight = Sight(isDaemonPresent: true, adapters: (0..<adapters).map { Self.adapter($0) })
  }

  static func adapter(_ number: Int, as name: Int? = nil, isPowered: Bool = true) -> Adapter {
    Adapter(
      path: "/org/bluez/hci\(name ?? number)",
      address: BoardAddress(value: 0x001b_dc00_0000 + UInt64(number)), isPowered: isPowered,
      canBeCentral: true)
  }

  static func path(_ address: BoardAddress, on adapter: Int = 0) -> String {
    "/org/bluez/hci\(adapter)/dev_\(String(address.description.map { $0 == ":" ? "_" : $0 }))"
  }

  // MARK: Events

  mutating func handle(_ event: Radio.Event) {
    for action in radio.handle(event, at: now) {
      if case .begin(let operation) = action { open.append(operation) }
      log.append(Self.words(action))
    }
  }

  /// Passes the daemon's current objects to the radio.
  mutating func look() { handle(.sight(sight)) }

  mutating func want(_ address: BoardAddress = first, _ patience: Radio.Patience? = nil) {
    handle(.want(address, patience))
  }

  /// Lets time pass, including all wake-ups that become due.
  mutating func pass(_ seconds: Double) {
    let end = now + seconds
    while let wake = radio.nextWake, wake <= end {
      now = max(now, wake)
      handle(.time)
    }
    now = end
    handle(.time)
  }

  /// Completes the oldest operation of this kind. Returns `false` if no such operation is in
  /// progress.
  @discardableResult
  mutating func end(_ kind: Radio.Operation.Kind, _ refusal: Refusal? = nil) -> Bool {
    guard let index = open.firstIndex(where: { $0.kind == kind }) else { return false }
    handle(.ended(open.remove(at: index), refusal))
    return true
  }

  func isOpen(_ kind: Radio.Operation.Kind) -> Bool { open.contains { $0.kind == kind } }

  // MARK: The daemon's objects

  /// Makes an adapter receive an advertisement from a board.
  mutating func hear(_ address: BoardAddress = first, on adapter: Int = 0, rssi: Int = -60) {
    let path = Self.path(address, on: adapter)
    if let index = sight.devices.firstIndex(where: { $0.path == path }) {
      sight.devices[index].lastHeard = now
      sight.devices[index].rssi = rssi
    } else {
      sight.devices.append(
        Device(
          path: path, adapterPath: "/org/bluez/hci\(adapter)", address: address, name: "MetaWear",
          rssi: rssi, serviceUUIDs: [], isConnected: false, areServicesResolved: false,
          lastHeard: now))
    }
    look()
  }

  mutating func set(
    _ address: BoardAddress = first, on adapter: Int = 0, isConnected: Bool? = nil,
    isResolved: Bool? = nil, structure: Structure? = nil
  ) {
    guard
      let index = sight.devices.firstIndex(where: { $0.path == Self.path(address, on: adapter) })
    else { return }
    if let isConnected { sight.devices[index].isConnected = isConnected }
    if let isResolved { sight.devices[index].areServicesResolved = isResolved }
    if let structure { sight.devices[index].structure = structure }
    look()
  }

  /// Shows a board as linked with all its attributes, and completes the call to Connect.
  mutating func link(_ address: BoardAddress = first, on adapter: Int = 0) {
    end(.stopDiscovery(adapter: "/org/bluez/hci\(adapter)"))
    set(address, on: adapter, isConnected: true, isResolved: true, structure: .complete)
    end(.connect(device: Self.path(address, on: adapter)))
  }

  /// Takes a board through all steps from unknown to linked.
  mutating func bringUp(_ address: BoardAddress = first, on adapter: Int = 0) {
    look()
    want(address)
    end(.startDiscovery(adapter: "/org/bluez/hci\(adapter)"))
    hear(address, on: adapter)
    link(address, on: adapter)
    log = []
  }

  /// Returns the actions since the last call.
  mutating func done() -> [String] {
    defer { log = [] }
    return log
  }

  /// Returns the actions since the last call, without log events.
  mutating func deeds() -> [String] { done().filter { !$0.hasPrefix("\"") } }

  private static func words(_ action: Radio.Action) -> String {
    switch action {
    case .begin(let operation): words(operation.kind)
    case .up(let address, let path): "up \(name(address)) \(short(path))"
    case .down(let address): "down \(name(address))"
    case .failed(let address, let failure): "failed \(name(address)) \(failure.kind)"
    case .left(let address): "left \(name(address))"
    case .disturbed(let others): "disturbed \(others.map(name).joined(separator: " "))"
    case .switched(let adapter): "switched \(short(adapter))"
    case .remark(let remark): "\"\(remark.event)\""
    }
  }

  private static func words(_ kind: Radio.Operation.Kind) -> String {
    switch kind {
    case .power(let adapter, let isOn): "power \(short(adapter)) \(isOn ? "on" : "off")"
    case .resetPort(let adapter): "reset port of \(short(adapter))"
    case .startDiscovery(let adapter): "start \(short(adapter))"
    case .stopDiscovery(let adapter): "stop \(short(adapter))"
    case .connect(let device): "connect \(short(device))"
    case .disconnect(let device): "disconnect \(short(device))"
    case .remove(let device, _): "remove \(short(device))"
    case .reread: "reread"
    }
  }

  private static func name(_ address: BoardAddress) -> String {
    address == first ? "first" : address == second ? "second" : address.description
  }

  /// Shortens a path to `hci0`, or `hci0/first`.
  private static func short(_ path: String) -> String {
    let parts = path.split(separator: "/").dropFirst(2)
    let adapter = parts.first.map(String.init) ?? path
    guard let device = parts.dropFirst().first else { return adapter }
    let text = device.dropFirst(4).map { $0 == "_" ? ":" : $0 }
    return adapter + "/" + (BoardAddress(String(text)).map(name) ?? String(device))
  }
}
