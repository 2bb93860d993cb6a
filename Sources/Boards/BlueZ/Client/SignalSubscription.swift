internal import DBus
internal import LinuxSystem

/// Notifications by signals of the bus, written to a descriptor, so that the reader needs no
/// knowledge of the bus.
///
/// The subscription has its own bus connection. The daemon notifies again after a reconnect as long
/// as that connection exists, and the signals wake no other connection.
final class SignalSubscription: Sendable {
  private let bus: BusClient
  /// The receiving end of the packets.
  let descriptor: DescriptorBox?

  /// Subscribes to a characteristic of a device on a bus, within a deadline in seconds.
  init(
    _ address: BusAddress, to path: String, of device: String, deadline: Double
  ) async throws(BusError) {
    do {
      var far: DescriptorBox?
      let near = try OwnedDescriptor.packetSocketPair().split { far = DescriptorBox($0) }
      let feed = Feed(near)
      bus = try BusClient(address) { feed.end() }
      descriptor = far
      try await bus.listen(toMessages: Self.rule(path)) { message in
        message.withChangedBytes(of: "Value") { feed.forward($0) }
      }
      for rule in Self.endRules(device) {
        try await bus.listen(to: rule) { if Self.isEnd($0, of: device) { feed.end() } }
      }
    } catch let error as BusError {
      throw error
    } catch {
      throw BusError(name: "", message: "\(error)", operation: "subscribe to \(path)")
    }
    _ = try await bus.call(
      BusCall(
        "StartNotify", on: path, of: BlueZName.characteristic, at: BlueZName.service,
        deadline: deadline))
  }

  /// Closes the bus connection, which ends the notifications; the descriptor hangs up.
  func close() {
    bus.close()
  }

  private static func rule(_ path: String) -> SignalRule {
    SignalRule(
      "PropertiesChanged", of: BlueZName.properties, from: BlueZName.service, path: path,
      firstArgument: BlueZName.characteristic)
  }

  /// Rules for the signals that the link is gone. They use the notifications' connection, so they
  /// arrive after the last notification.
  private static func endRules(_ device: String) -> [SignalRule] {
    [
      SignalRule(
        "PropertiesChanged", of: BlueZName.properties, from: BlueZName.service, path: device,
        firstArgument: BlueZName.device),
      SignalRule(
        "InterfacesRemoved", of: BlueZName.objectManager, from: BlueZName.service, path: "/"),
      SignalRule(
        "NameOwnerChanged", of: BlueZName.bus, from: BlueZName.bus,
        firstArgument: BlueZName.service),
    ]
  }

  private static func isEnd(_ signal: BusSignal, of device: String) -> Bool {
    let arguments = signal.arguments
    switch signal.member {
    case "PropertiesChanged":
      guard signal.path == device else { return false }
      return arguments.dropFirst().first?.properties?["Connected"]?.flag == false
    case "InterfacesRemoved":
      // The battery and attributes are removed with the link; the device object stays.
      return arguments.first?.text == device
        && arguments.dropFirst().first?.texts?.contains(BlueZName.device) == true
    default:
      return arguments.first?.text == BlueZName.service
    }
  }

  /// The sending end of the packets.
  private final class Feed: Sendable {
    /// Seconds to wait for room: several ticks of the reader.
    private static let patience = 0.5

    /// `nil` once the link is gone.
    private let descriptor: Guarded<OwnedDescriptor?>

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = Guarded(descriptor)
    }

    /// Hangs up the other end, after the packets already sent.
    func end() {
      descriptor.withLock { $0 = nil }
    }

    /// Packets gather in the socket until the reader's tick, and a bus that was held up may deliver
    /// more at once than the socket holds. So this waits for the reader, which delays only this
    /// subscription. If there is still no room, the packet is lost, as on the daemon's own socket;
    /// the counter shows the loss.
    func forward(_ value: Span<UInt8>) {
      descriptor.withLock { descriptor in
        guard let count = descriptor?.send(value), count < 0 else { return }
        descriptor?.waitUntilWritable(seconds: Self.patience)
        _ = descriptor?.send(value)
      }
    }
  }
}
