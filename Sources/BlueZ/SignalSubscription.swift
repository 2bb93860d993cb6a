internal import DBus
internal import LinuxSystem

/// Notifications by signals of the bus, put on a descriptor, so that whoever reads them need not know.
///
/// On a bus connection of its own: the daemon notifies again after a reconnect for as long as the same
/// connection is there, and the signals wake nobody else.
final class SignalSubscription: Sendable {
  private static let deadline = 10.0

  private let bus: BusClient
  /// The end that packets arrive on.
  let descriptor: DescriptorBox?

  /// Subscribes to a characteristic on a bus.
  init(_ address: BusAddress, to path: String) async throws(BusError) {
    do {
      var far: DescriptorBox?
      let near = try OwnedDescriptor.packetSocketPair().split { far = DescriptorBox($0) }
      let feed = Feed(near)
      bus = try BusClient(address)
      descriptor = far
      try await bus.listen(to: Self.rule(path)) { feed.forward($0) }
    } catch let error as BusError {
      throw error
    } catch {
      throw BusError(name: "", message: "\(error)", operation: "subscribe to \(path)")
    }
    _ = try await bus.call(
      BusCall(
        "StartNotify", on: path, of: BlueZName.characteristic, at: BlueZName.service,
        deadline: Self.deadline))
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

  /// The end that packets are put on.
  private final class Feed: Sendable {
    private let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = descriptor
    }

    /// A full socket loses the packet, as the daemon's own does; the counter tells.
    func forward(_ signal: BusSignal) {
      guard let value = signal.arguments.dropFirst().first?.properties?["Value"]?.byteArray else {
        return
      }
      _ = descriptor.send(value)
    }
  }
}
