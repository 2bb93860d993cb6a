import DBus
import LinuxSystem
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

/// A client of the simulated daemon that sends single messages. Tests that use it see the messages
/// on the bus directly, without Footbridge's BlueZ client.
final class DaemonClient: Sendable {
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let battery = "org.bluez.Battery1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let agentManager = "org.bluez.AgentManager1"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"

  typealias Objects = [String: [String: [String: BusValue]]]

  private let bus: BusClient
  let log = SignalLog()
  private let listening: Task<Void, Never>
  /// The number of signals received, counted on the thread that also receives replies.
  private let arrived = Guarded(0)

  init(_ world: SimulatedWorld) async throws {
    let bus = try BusClient(.at(world.busAddress))
    self.bus = bus
    let (signals, post) = AsyncStream<BusSignal>.makeStream()
    listening = Task { [log] in
      for await signal in signals { log.add(signal) }
    }
    let hear: BusClient.SignalHandler = { [arrived] signal in
      arrived.withLock { $0 += 1 }
      post.yield(signal)
    }
    let fromDaemon = [
      (Self.properties, "PropertiesChanged"), (Self.objectManager, "InterfacesAdded"),
      (Self.objectManager, "InterfacesRemoved"), (Self.device, "Disconnected"),
    ]
    for (interface, member) in fromDaemon {
      try await bus.listen(to: SignalRule(member, of: interface, from: "org.bluez"), hear)
    }
    let service = "org.freedesktop.DBus"
    let names = [("NameOwnerChanged", "org.bluez" as String?), ("NameAcquired", nil)]
    for (member, name) in names {
      try await bus.listen(
        to: SignalRule(member, of: service, from: service, firstArgument: name), hear)
    }
  }

  /// Disconnects from the bus, like a program that exits.
  func leave() {
    bus.close()
    listening.cancel()
  }

  @discardableResult
  func call(
    _ member: String, on path: String, of interface: String, _ arguments: [BusValue] = [],
    deadline: Double = 10
  ) async throws(BusError) -> [BusValue] {
    try await bus.call(
      BusCall(
        member, on: path, of: interface, at: "org.bluez", arguments, deadline: deadline,
        startsService: false))
  }

  /// Returns the name and the text of a call's error, or `nil` if the call succeeded.
  func refusal(
    _ member: String, on path: String, of interface: String, _ arguments: [BusValue] = [],
    deadline: Double = 10
  ) async -> Refusal? {
    do throws(BusError) {
      try await call(member, on: path, of: interface, arguments, deadline: deadline)
      return nil
    } catch {
      return Refusal(error.name, error.message)
    }
  }

  // MARK: Signals

  /// Returns the number of signals received so far, including all signals sent before this call.
  func mark() async throws -> Int {
    // The bus announces a name's new owner only after it has delivered all earlier messages.
    let name = log.nextMark()
    _ = try await bus.call(
      BusCall(
        "RequestName", on: "/", of: "org.freedesktop.DBus", at: "org.freedesktop.DBus",
        [.string(name), .uint32(0)], deadline: 5))
    try await wait(from: 0) { $0.member == "NameAcquired" && $0.arguments.first?.text == name }
    return log.count
  }

  @discardableResult
  func wait(
    from mark: Int, within seconds: Double = patience,
    for matches: @escaping @Sendable (BusSignal) -> Bool
  ) async throws -> BusSignal {
    try #require(await log.first(behind: mark, within: seconds, where: matches))
  }

  /// Waits until the daemon announces this value for a property of an object.
  func wait(
    from mark: Int, within seconds: Double = patience, _ property: String, _ flag: Bool,
    of path: String
  ) async throws {
    try await wait(from: mark, within: seconds) { signal in
      signal.path == path && signal.changes[property]?.flag == flag
    }
  }

  /// Returns the signals after the first `mark`, each as its `BusSignal.story`.
  func story(from mark: Int) async throws -> [String] {
    let end = try await self.mark()
    return log.map(from: mark, to: end) { $0.sender == "org.freedesktop.DBus" ? nil : $0.story }
  }

  /// Returns the signals that arrived before the reply to a call.
  func storyBeforeAnswer(
    to member: String, on path: String, of interface: String, deadline: Double
  ) async throws -> [String] {
    let mark = try await mark()
    let call = BusCall(
      member, on: path, of: interface, at: "org.bluez", deadline: deadline, startsService: false)
    let end = await withCheckedContinuation { continuation in
      bus.send(call) { [arrived] _ in
        continuation.resume(returning: arrived.withLock { $0 })
      }
    }
    return Array(try await story(from: mark).prefix(end - mark))
  }

  // MARK: Common client calls

  func objects() async throws -> Objects {
    let listing = try await call("GetManagedObjects", on: "/", of: Self.objectManager)
    return (listing.first?.properties ?? [:])
      .mapValues { ($0.properties ?? [:]).mapValues { $0.properties ?? [:] } }
  }

  func property(_ name: String, of interface: String, at path: String) async throws -> BusValue? {
    try await objects()[path]?[interface]?[name]
  }

  func set(
    _ name: String, of interface: String, at path: String, to value: BusValue
  ) async throws(BusError) {
    try await call(
      "Set", on: path, of: Self.properties,
      [.string(interface), .string(name), .variant(value)])
  }

  /// Scans with an adapter until it has found `count` devices.
  func discover(_ count: Int, on adapter: String = "/org/bluez/hci0") async throws {
    let mark = try await mark()
    try await call("StartDiscovery", on: adapter, of: Self.adapter)
    var paths = Set(try await objects().keys.filter { $0.hasPrefix(adapter + "/dev_") })
    var next = mark
    while paths.count < count {
      let signal = try await wait(from: next) { $0.member == "InterfacesAdded" }
      next = log.count
      if let path = signal.arguments.first?.text, path.hasPrefix(adapter) { paths.insert(path) }
      paths.formUnion(try await objects().keys.filter { $0.hasPrefix(adapter + "/dev_") })
    }
    try await call("StopDiscovery", on: adapter, of: Self.adapter)
  }

  /// Establishes a link to a device, and waits until the daemon has resolved the device's services.
  func connect(_ path: String) async throws {
    let mark = try await mark()
    try await call("Connect", on: path, of: Self.device, deadline: 40)
    try await wait(from: mark, "ServicesResolved", true, of: path)
  }

  /// Returns the path of a characteristic below a device.
  func path(of uuid: String, below device: String) async throws -> String {
    let found = try await objects().first { path, interfaces in
      path.hasPrefix(device + "/") && interfaces[Self.characteristic]?["UUID"]?.text == uuid
    }
    return try #require(found?.key)
  }

  func acquireNotify(_ path: String) async throws -> NotifySocket {
    let answer = try await call(
      "AcquireNotify", on: path, of: Self.characteristic, [.properties([:])])
    return try NotifySocket(#require(answer.first?.descriptor))
  }

  func write(_ bytes: [UInt8], to path: String, type: String) async throws(BusError) {
    try await call(
      "WriteValue", on: path, of: Self.characteristic,
      [.bytes(bytes), .properties(["type": .string(type)])])
  }
}

/// The error reply to a call.
struct Refusal: Hashable, CustomStringConvertible {
  let name: String
  let text: String

  init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }

  /// Returns an error with the name that BlueZ uses.
  static func bluez(_ kind: String, _ text: String) -> Refusal {
    Refusal("org.bluez.Error." + kind, text)
  }

  var description: String { "\(name): \(text)" }
}

extension BusSignal {
  /// The changed properties in a `PropertiesChanged` signal.
  var changes: [String: BusValue] {
    member == "PropertiesChanged" && arguments.count == 3 ? arguments[1].properties ?? [:] : [:]
  }

  var invalidated: [String] {
    member == "PropertiesChanged" && arguments.count == 3 ? arguments[2].texts ?? [] : []
  }

  /// The object and the interfaces in an `InterfacesRemoved` signal.
  var removal: (path: String, interfaces: [String])? {
    guard member == "InterfacesRemoved", arguments.count == 2, let path = arguments[0].text else {
      return nil
    }
    return (path, arguments[1].texts ?? [])
  }

  /// A short description of the signal, for comparing the order of events.
  var story: String {
    switch member {
    case "InterfacesAdded", "InterfacesRemoved":
      let path = arguments.first?.text ?? ""
      let what =
        member == "InterfacesRemoved"
        ? arguments[1].texts ?? [] : (arguments[1].properties ?? [:]).keys.sorted()
      let kinds = what.map { String($0.split(separator: ".").last ?? "") }
      let isBelow = path.contains("/service")
      return (member == "InterfacesAdded" ? "+" : "-") + (isBelow ? "GATT" : kinds.joined())
    case "PropertiesChanged":
      let told = changes.map { name, value in value.flag.map { "\(name)=\($0)" } ?? name }
      return (told.sorted() + invalidated.map { "\($0)?" }).joined(separator: " ")
    default:
      return member
    }
  }
}

extension SimulatedWorld {
  /// Returns the path of a board's device below an adapter.
  func path(_ board: Int, adapter: String = "hci0") -> String {
    let digits = boards[board].address.description.map { $0 == ":" ? "_" : $0 }
    return "/org/bluez/\(adapter)/dev_" + String(digits)
  }
}
