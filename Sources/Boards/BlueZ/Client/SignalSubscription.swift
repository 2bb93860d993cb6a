internal import DBus
internal import LinuxSystem

/// Receives notifications as bus signals and writes them to a descriptor, so that the reader does
/// not depend on the bus.
///
/// The subscription uses its own bus connection, so the program's other bus connections do not
/// receive its signals. While the subscription's connection exists, the daemon resumes
/// notifications when the device reconnects.
final class SignalSubscription: Sendable {
  private let bus: BusClient
  /// The descriptor from which the reader receives each notification as one packet.
  let descriptor: DescriptorBox?

  /// Subscribes to a device's characteristic over the bus. Throws if the daemon takes longer than
  /// `deadline` seconds to enable notifications.
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

  /// Closes the bus connection, so that no more notifications arrive. The reader's descriptor then
  /// hangs up.
  func close() {
    bus.close()
  }

  private static func rule(_ path: String) -> SignalRule {
    SignalRule(
      "PropertiesChanged", of: BlueZName.properties, from: BlueZName.service, path: path,
      firstArgument: BlueZName.characteristic)
  }

  /// Returns the rules for signals that report the end of the link. These signals arrive over the
  /// same connection as the notifications, and therefore after the last notification.
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
      // When the link ends, the daemon removes the device's battery and attributes but keeps the
      // device. Only the removal of the device's own interface matters here.
      return arguments.first?.text == device
        && arguments.dropFirst().first?.texts?.contains(BlueZName.device) == true
    default:
      return arguments.first?.text == BlueZName.service
    }
  }

  /// Sends each notification to the reader as one packet.
  private final class Feed: Sendable {
    /// Seconds to wait for space in the socket: several times the reader's longest pause between
    /// reads.
    private static let patience = 0.5

    /// The socket that notifications are written to, or `nil` after the link has ended.
    private let descriptor: Guarded<OwnedDescriptor?>

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = Guarded(descriptor)
    }

    /// Makes the reader's descriptor hang up once the reader has received the packets already sent.
    func end() {
      descriptor.withLock { $0 = nil }
    }

    /// Sends a notification as one packet, and waits for the reader if the socket is full. Packets
    /// accumulate until the reader next empties the socket, and a delayed bus may deliver more
    /// packets at once than the socket can hold. Waiting delays only this subscription. If the
    /// socket stays full, the packet is lost, just as it would be on the daemon's own socket. The
    /// stream's counter then reveals the loss.
    func forward(_ value: Span<UInt8>) {
      descriptor.withLock { descriptor in
        guard let count = descriptor?.send(value), count < 0 else { return }
        descriptor?.waitUntilWritable(seconds: Self.patience)
        _ = descriptor?.send(value)
      }
    }
  }
}
