internal import DBus
internal import LinuxSystem
internal import Recording

/// The thread of the simulated daemon: lets the boards live, answers calls, sends signals.
final class DaemonLoop {
  /// Seconds between two advertisements of a board.
  static let advertisingInterval = 0.25
  /// Seconds an unconnected device is remembered after its last advertisement.
  static let expirySeconds = 30.0
  static let adapterPath = "/org/bluez/hci0"

  let connection: BusConnection
  var adapter = SimulatedAdapter(path: DaemonLoop.adapterPath)
  var devices: [SimulatedDevice]
  var timers = DaemonTimers()
  private let mailbox: Mailbox<SimulatedDaemon.Request>
  private let counts: CountsBox
  private let start = BootClock.now()
  private var nextAdvertisement = 0.0
  private var outgoing: [SimulatedNotification] = []
  private var isRunning = true

  init(
    _ connection: BusConnection, _ mailbox: Mailbox<SimulatedDaemon.Request>,
    _ boards: [SimulatedBoard], _ counts: CountsBox
  ) {
    self.connection = connection
    self.mailbox = mailbox
    self.counts = counts
    devices = boards.map { SimulatedDevice($0, adapterPath: DaemonLoop.adapterPath) }
  }

  /// Seconds of the simulated world, which run with ours.
  var now: Double { BootClock.now().seconds(since: start) }

  func run() {
    watchClients()
    var polls = PollSet()
    while isRunning, connection.isConnected {
      for request in mailbox.takeAll() {
        switch request {
        case .stop: isRunning = false
        case .inject(let fault, let index):
          guard devices.indices.contains(index) else { break }
          advance(index)
          devices[index].board.inject(fault, at: now)
          advance(index)
        }
      }
      connection.transfer()
      while let message = connection.next() { receive(message) }
      live()
      counts.counts = devices.map(\.counts)
      polls.removeAll()
      polls.add(connection.descriptor, forWriting: connection.hasOutgoing)
      polls.add(mailbox.bell.number)
      for device in devices { polls.add(device.socketNumber ?? -1) }
      polls.wait(seconds: isRunning ? max(0, nextEvent - now) : 0)
      for index in devices.indices where polls.isHungUp(index + 2) { releaseNotify(index) }
    }
  }

  /// When something happens next without a message.
  private var nextEvent: Double {
    let boards = devices.compactMap(\.board.nextEvent).min() ?? .infinity
    let discovery = adapter.isDiscovering ? nextAdvertisement : .infinity
    let expiry = devices.contains { $0.isKnown && !$0.isConnected } ? now + 1 : .infinity
    return min(boards, discovery, timers.next ?? .infinity, expiry, now + 60)
  }

  /// Everything that is due.
  private func live() {
    while let action = timers.takeDue(now) { perform(action) }
    for index in devices.indices { advance(index) }
    if adapter.isDiscovering, now >= nextAdvertisement {
      nextAdvertisement = now + Self.advertisingInterval
      for index in devices.indices where devices[index].board.isAdvertising(at: now) {
        advertise(index)
      }
    }
    for index in devices.indices { expire(index) }
  }

  /// Brings a board up to now and hands on what it sent.
  func advance(_ index: Int) {
    outgoing.removeAll(keepingCapacity: true)
    devices[index].board.advance(to: now, into: &outgoing)
    for notification in outgoing { deliver(notification.bytes, from: index) }
    // The board itself may have ended the link, as after a reset.
    if devices[index].link == .up, !devices[index].board.isLinkUp { linkEnded(index) }
  }

  // MARK: Messages

  /// Clients that leave the bus end their discovery and their notifications.
  private func watchClients() {
    connection.send(
      Message(
        BusCall(
          "AddMatch", on: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
          at: "org.freedesktop.DBus",
          [
            .string(
              "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                + "member='NameOwnerChanged'")
          ], deadline: 5)))
  }

  private func receive(_ message: consuming Message) {
    switch message.kind {
    case .call:
      let call = DaemonCall(message)
      do throws(DaemonError) {
        if let answer = try serve(call) { call.answer(answer, on: connection) }
      } catch {
        call.refuse(error, on: connection)
      }
    case .signal where message.member == "NameOwnerChanged":
      let arguments = message.arguments()
      if arguments.count == 3, arguments[2].text == "", let client = arguments[0].text {
        clientLeft(client)
      }
    default:
      break
    }
  }

  /// The answer to a call; `nil` when it comes later.
  private func serve(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    switch call.interface {
    case BlueZInterface.introspectable: return try introspect(call)
    case BlueZInterface.peer:
      guard call.member == "Ping" else { throw .unknownMethod(call) }
      return []
    case BlueZInterface.properties: return try serveProperties(call)
    case BlueZInterface.objectManager:
      guard call.path == "/", call.member == "GetManagedObjects" else {
        throw .unknownMethod(call)
      }
      return [managedObjects]
    case BlueZInterface.agentManager:
      // Agents are asked nothing here: no simulated board wants to be paired with a passkey.
      guard ["RegisterAgent", "UnregisterAgent", "RequestDefaultAgent"].contains(call.member)
      else { throw .unknownMethod(call) }
      return []
    case BlueZInterface.adapter: return try serveAdapter(call)
    case BlueZInterface.device: return try serveDevice(call)
    case BlueZInterface.characteristic: return try serveCharacteristic(call)
    default: throw .unknownMethod(call)
    }
  }

  private func clientLeft(_ client: String) {
    if adapter.discoverers.remove(client) != nil, adapter.discoverers.isEmpty {
      discoveryEnded()
    }
    for index in devices.indices { removeListener(client, from: index) }
  }

  // MARK: Signals

  func signal(_ member: String, from path: String, of interface: String, _ values: [BusValue]) {
    connection.send(Message(BusSignal(member, from: path, of: interface, values)))
  }

  func changed(
    _ interface: String, of path: String, _ changed: [String: BusValue],
    invalidated: [String] = []
  ) {
    signal(
      "PropertiesChanged", from: path, of: BlueZInterface.properties,
      [.string(interface), .properties(changed), .strings(invalidated)])
  }

  func deviceChanged(_ index: Int, _ names: String...) {
    let properties = devices[index].deviceProperties
    changed(
      BlueZInterface.device, of: devices[index].path, properties.filter { names.contains($0.key) })
  }

  func added(_ path: String, _ interfaces: [String: [String: BusValue]]) {
    signal(
      "InterfacesAdded", from: "/", of: BlueZInterface.objectManager,
      [.objectPath(path), Self.interfaces(interfaces)])
  }

  func removed(_ path: String, _ interfaces: [String]) {
    signal(
      "InterfacesRemoved", from: "/", of: BlueZInterface.objectManager,
      [.objectPath(path), .strings(interfaces)])
  }

  /// An `a{sa{sv}}`.
  static func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
    .dictionary(
      key: "s", value: "a{sv}",
      interfaces.sorted { $0.key < $1.key }
        .map { BusValue.Entry(key: .string($0.key), value: .properties($0.value)) })
  }
}
