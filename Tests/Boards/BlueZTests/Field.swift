import BlueZ
import DBus
import LinuxSystem
import MetaWearProtocol
import Simulation
import TestSupport
import Testing
import Values

/// A simulated world with a radio, and a record of the radio's log events.
struct Field {
  static let shape = GATTShape(
    service: GATT.service, command: GATT.command, notify: GATT.notify,
    bootloader: GATT.firmwareUpdateService)

  let world: SimulatedWorld
  let radio: BlueZRadio
  let log = Guarded<[LogEvent]>([])
  let disturbed = Guarded<[[BoardAddress]]>([])

  init(
    boards: Int = 1, adapters: Int = 1, slots: Int = 5, notifySeconds: Double = 10,
    _ change: (inout DaemonSettings) -> Void = { _ in }
  ) async throws {
    var daemon = DaemonSettings()
    // By default, the daemon waits two seconds before it ends a link, which would take up most of a
    // test's time.
    daemon.graceSeconds = 0.1
    change(&daemon)
    world = try SimulatedWorld(
      boards: boards, adapters: adapters, hasReceiver: false, daemon: daemon)
    radio = try await BlueZRadio(
      .at(world.busAddress),
      Radio.Settings(slots: slots, shape: Self.shape, notifySeconds: notifySeconds),
      BlueZRadio.Listener(
        remark: { [log] remark in log.withLock { $0.append(remark) } },
        disturbed: { [disturbed] boards in disturbed.withLock { $0.append(boards) } }))
  }

  func address(_ board: Int) -> BoardAddress { world.boards[board].address }

  func link(
    _ board: Int = 0, _ patience: Radio.Patience? = Radio.Patience(), mayPair: Bool = false
  ) async throws -> DeviceLink {
    try await radio.link(to: address(board), patience, mayPair: mayPair)
  }

  /// The radio's log events so far.
  // Copied under the lock: ThreadSanitizer cannot follow the reference count of a shared buffer.
  var remarks: [LogEvent] { log.withLock { $0.map { $0 } } }

  var events: [String] { remarks.map(\.event) }

  var warnings: [String] { remarks.filter { $0.severity == .warning }.map(\.event) }

  /// Returns the values of one detail in all log events with this name.
  func details(_ name: String, of event: String) -> [String] {
    remarks.filter { $0.event == event }
      .compactMap { remark in remark.details.first { $0.name == name }?.value }
  }

  var linked: [Device] {
    get async { await radio.sight.devices.filter(\.isConnected) }
  }
}

/// The read end of a link's notification socket.
struct NotificationEnd: ~Copyable {
  private let descriptor: OwnedDescriptor

  init(_ link: DeviceLink) throws {
    guard let descriptor = link.notifications.take() else { throw SystemError("take a link") }
    self.descriptor = descriptor
  }

  /// Returns the next packet, which is empty if the link has ended; `nil` if nothing arrives in
  /// time.
  func next() async throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64)
    var count = -1
    let isThere = await happens {
      count = descriptor.read(into: &buffer)
      return count >= 0
    }
    return isThere ? Array(buffer.prefix(count)) : nil
  }
}
