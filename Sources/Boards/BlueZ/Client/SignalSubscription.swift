internal import DBus
internal import LinuxSystem

/// Notifications by signals of the bus, put on a descriptor, so that its reader need not know of
/// the bus.
///
/// It has a bus connection of its own. The daemon notifies again after a reconnect for as long as
/// that connection is there, and the signals wake no other connection.
final class SignalSubscription: Sendable {
  private let bus: BusClient
  /// The end that packets arrive on.
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

  /// Leaves the bus, which ends the notifications; the descriptor hangs up.
  func close() {
    bus.close()
  }

  private static func rule(_ path: String) -> SignalRule {
    SignalRule(
      "PropertiesChanged", of: BlueZName.properties, from: BlueZName.service, path: path,
      firstArgument: BlueZName.characteristic)
  }

  /// What tells that the link is gone. Over the same connection as the notifications, it comes
  /// after the last of them.
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
      // Its battery and its attributes come and go with the link; the device itself does not.
      return arguments.first?.text == device
        && arguments.dropFirst().first?.texts?.contains(BlueZName.device) == true
    default:
      return arguments.first?.text == BlueZName.service
    }
  }

  /// The end that packets are put on.
  private final class Feed: Sendable {
    /// `nil` once the link is gone.
    private let descriptor: Guarded<OwnedDescriptor?>

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = Guarded(descriptor)
    }

    /// The other end hangs up, after the packets on their way.
    func end() {
      descriptor.withLock { $0 = nil }
    }

    /// A full socket loses the packet, as the daemon's own does; the counter tells.
    func forward(_ value: Span<UInt8>) {
      descriptor.withLock { _ = $0?.send(value) }
    }
  }
}
