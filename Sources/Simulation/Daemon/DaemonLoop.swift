internal import DBus
internal import LinuxSystem
internal import Values

/// The simulated daemon's thread, which runs the boards, answers calls and sends signals.
///
/// The thread simulates bluetoothd, the kernel and the radio. While bluetoothd is absent, the
/// kernel and the radio keep running.
final class DaemonLoop: ThreadLoop {
  /// Seconds between consecutive advertisements from a board.
  static let advertisingInterval = 0.25

  let settings: DaemonSettings
  /// The connection to the bus; `nil` while the daemon is absent.
  private(set) var bus: BusConnection?
  var adapters: [SimulatedAdapter]
  var peripherals: [SimulatedPeripheral]
  /// All peripherals as seen by the first adapter, then all of them as seen by the next adapter,
  /// and so on.
  var devices: [SimulatedDevice]
  var timers = DaemonTimers()
  var faults = DaemonFaults()
  var agents = DaemonAgents()
  /// The number of links established so far, which determines when the daemon replies to `Connect`.
  var linkCount = 0
  private let address: BusAddress
  private let mailbox: Mailbox<SimulatedDaemon.Request>
  private let report: DaemonReport
  let witness: DeliveryWitness?
  private let start = BootClock.now()
  /// Random numbers that vary the signal strengths.
  var random = SplitMix64(seed: 1)
  private var nextAdvertisement = 0.0
  private var outgoing: [SimulatedNotification] = []
  private var isRunning = true
  /// Waits for the bus, the mailbox and the devices' sockets, which were added in this order.
  private var polls = PollSet()

  init(
    _ connection: BusConnection, at address: BusAddress,
    _ mailbox: Mailbox<SimulatedDaemon.Request>,
    _ boards: [SimulatedBoard], _ settings: DaemonSettings, _ report: DaemonReport,
    _ witness: DeliveryWitness?
  ) {
    bus = connection
    self.address = address
    self.mailbox = mailbox
    self.settings = settings
    self.report = report
    self.witness = witness
    let adapters = (0..<settings.adapters).map { SimulatedAdapter(number: $0) }
    let peripherals =
      boards.map { SimulatedPeripheral($0) }
      + (0..<settings.strangers).map { SimulatedPeripheral(stranger: $0) }
    self.adapters = adapters
    self.peripherals = peripherals
    devices = adapters.indices.flatMap { adapter in
      peripherals.map {
        SimulatedDevice($0, adapter: adapter, adapterPath: adapters[adapter].path)
      }
    }
    for fault in settings.faults { timers.add(.fault(fault), at: fault.time) }
    watchClients()
    // The initial objects must exist before the first call.
    live()
  }

  /// Seconds since the start of the simulated world, in real time.
  var now: Double { BootClock.now().seconds(since: start) }

  func devices(of adapter: Int) -> Range<Int> {
    adapter * peripherals.count..<(adapter + 1) * peripherals.count
  }

  func pause() -> Double? {
    // Messages may have arrived before the first wait.
    bus?.transfer()
    while let message = bus?.next() {
      // First handle the requests that other threads made before this message arrived.
      serveRequests()
      receive(message)
    }
    live()
    report.counts = peripherals.lazy.filter { !$0.isStranger }.map(\.counts)
    guard isRunning, bus?.isConnected ?? true else { return nil }
    polls.removeAll()
    polls.add(bus?.descriptor ?? PollSet.nobody, forWriting: bus?.hasOutgoing ?? false)
    polls.add(mailbox.bell.number)
    for device in devices { polls.add(device.socketNumber ?? PollSet.nobody) }
    return max(0, nextEvent - now)
  }

  func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

  func round() {
    for index in devices.indices {
      if polls.isHungUp(index + 2) {
        releaseNotify(index)
      } else if polls.isReadable(index + 2) {
        takeWritten(index)
      }
    }
    if polls.isReadable(1) { serveRequests() }
  }

  private func serveRequests() {
    for request in mailbox.takeAll() { serve(request) }
  }

  private func serve(_ request: SimulatedDaemon.Request) {
    switch request {
    case .stop:
      isRunning = false
    case .inject(let fault, let board):
      guard peripherals.indices.contains(board) else { break }
      advance(board)
      peripherals[board].board.inject(fault, at: now)
      advance(board)
    case .injectDaemon(let fault):
      begin(fault)
    case .notify(let bytes, let board):
      guard peripherals.indices.contains(board), let device = peripherals[board].linkedDevice
      else { break }
      deliver(bytes, from: device)
    }
  }

  /// The time of the next action that is not triggered by a message.
  private var nextEvent: Double {
    var boards = peripherals.compactMap(\.board.nextEvent).min() ?? .infinity
    if settings.eventSeconds > 0 {
      boards = (boards / settings.eventSeconds).rounded(.up) * settings.eventSeconds
    }
    let isDiscovering = adapters.contains(where: \.isDiscovering)
    let isAwaited = devices.contains(where: \.awaitsBoard)
    let discovery = isDiscovering || isAwaited ? nextAdvertisement : .infinity
    let expiry = devices.indices.lazy.filter { [self] in mayExpire($0) }
      .map { [self] in devices[$0].lastSeen + settings.expirySeconds }.min()
    return min(boards, discovery, timers.next ?? .infinity, expiry ?? .infinity, now + 60)
  }

  private func live() {
    while let action = timers.takeDue(now) { perform(action) }
    for board in peripherals.indices { advance(board) }
    if now >= nextAdvertisement {
      nextAdvertisement = now + Self.advertisingInterval
      for index in devices.indices { advertise(index) }
    }
    for index in devices.indices { expire(index) }
  }

  private func perform(_ action: DaemonTimers.Action) {
    switch action {
    case .link(let action, let index, let generation):
      if devices[index].generation == generation { perform(action, index) }
    case .fault(let fault): begin(fault)
    case .daemonReturns: returnToBus()
    }
  }

  /// Runs a board up to the current time and delivers its notifications.
  func advance(_ index: Int) {
    let peripheral = peripherals[index]
    outgoing.removeAll(keepingCapacity: true)
    peripheral.board.advance(to: now, into: &outgoing)
    guard let device = peripheral.linkedDevice else { return }
    for notification in outgoing {
      guard deliver(notification.bytes, from: device), let witness else { continue }
      let subscribedAt = devices[device].subscribedAt
      let isLeftOver = peripheral.board.lastStart.map { $0 < subscribedAt } ?? false
      witness(.notification(index, notification, isLeftOver: isLeftOver))
    }
    // The board itself may have ended the link, for example by a reset.
    if !peripheral.board.isLinkUp {
      linkEnded(device, .remote)
    } else {
      tellBattery(device)
    }
  }

  /// Records client behaviour that would fail with a real daemon or real boards.
  func complain(_ text: String) {
    report.add(text)
  }

  // MARK: Messages

  func send(_ message: consuming Message?) {
    if let message, let bus { bus.send(message) }
  }

  func answer(_ call: DaemonCall?, _ values: [BusValue] = []) {
    send(call?.answer(values))
  }

  func refuse(_ call: DaemonCall?, _ error: DaemonError) {
    send(call?.refusal(error))
  }

  /// Leaves the bus like a process that exits: the daemon sends nothing more, and the bus fails all
  /// calls that are waiting for a reply.
  func leaveBus() {
    bus = nil
  }

  /// Joins the bus again under a new unique name. Returns `false` if the bus itself has stopped.
  func joinBus() -> Bool {
    guard let connection = try? BusConnection(address),
      (try? connection.own("org.bluez")) != nil
    else {
      isRunning = false
      return false
    }
    bus = connection
    watchClients()
    return true
  }

  /// Subscribes to the signal that reports when a client leaves the bus, which ends the client's
  /// discovery and notifications.
  private func watchClients() {
    bus?.send(
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
        if let values = try serve(call) { answer(call, values) }
      } catch {
        refuse(call, error)
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

  /// Handles a call. Returns the reply; `nil` if the reply is sent later or never.
  private func serve(_ call: DaemonCall) throws(DaemonError) -> [BusValue]? {
    if faults.denies(call.member) { throw .accessDenied(call) }
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
      return faults.swallows(.getManagedObjects) ? nil : [managedObjects]
    case BlueZInterface.agentManager: return try agents.serve(call)
    case BlueZInterface.adapter: return try serveAdapter(call)
    case BlueZInterface.device: return try serveDevice(call)
    case BlueZInterface.characteristic: return try serveCharacteristic(call)
    default: throw .unknownMethod(call)
    }
  }

  private func clientLeft(_ client: String) {
    agents.clientLeft(client)
    for adapter in adapters.indices {
      adapters[adapter].filters[client] = nil
      stopDiscovery(of: client, on: adapter)
    }
    for index in devices.indices {
      devices[index].rearmed.remove(client)
      removeListener(client, from: index)
      // The kernel closes an exited program's file descriptors.
      if case .socket(let end) = devices[index].listener, end.client == client {
        releaseNotify(index)
      }
    }
  }
}
