internal import DBus
public import LinuxSystem

/// An established link to a device. The device's attributes are known and its notifications are
/// enabled.
public struct DeviceLink: Sendable {
  private let radio: BlueZRadio
  private let client: BlueZClient
  private let writer: CharacteristicWriter
  private let subscription: SignalSubscription?
  /// The device as it was when the link was established.
  public let device: Device
  public let characteristics: [Characteristic]
  /// Delivers each notification as one packet. Hangs up when the link drops.
  public let notifications: DescriptorBox

  init(
    _ radio: BlueZRadio, _ client: BlueZClient, _ device: Device,
    _ characteristics: [Characteristic],
    _ shape: GATTShape, _ notifications: DescriptorBox, _ subscription: SignalSubscription?
  ) throws(BlueZError) {
    self.radio = radio
    self.client = client
    self.device = device
    self.notifications = notifications
    self.subscription = subscription
    self.characteristics = characteristics
    guard let command = characteristics.first(where: { $0.uuid == shape.command }) else {
      throw BlueZError(
        .linkLost, "\(device.address) disconnected while the link was being set up",
        remedy: "move the board closer")
    }
    writer = CharacteristicWriter(client, command)
  }

  /// Whether notifications arrive as bus signals, which take more CPU time than packets from a
  /// private descriptor.
  public var isBySignals: Bool { subscription != nil }

  public func read(_ uuid: String) async throws(BlueZError) -> [UInt8] {
    guard let characteristic = characteristics.first(where: { $0.uuid == uuid }) else {
      throw BlueZError(
        .notABoard, "\(device.address) has no characteristic \(uuid)",
        remedy: "the device is not a MetaWear board or is running its bootloader; restart the board"
      )
    }
    do {
      let answer = try await client.call(
        "ReadValue", on: characteristic.path, of: BlueZName.characteristic, [.properties([:])],
        deadline: 30)
      return answer.first?.byteArray ?? []
    } catch {
      throw BlueZError(error)
    }
  }

  /// Commands are sent in call order. An acknowledged write returns when the device has accepted
  /// the command.
  public func write(_ bytes: [UInt8], acknowledged: Bool) async throws(BlueZError) {
    do {
      try await writer.write(bytes, acknowledged: acknowledged)
    } catch {
      throw BlueZError(error)
    }
  }

  /// The battery charge, in percent, that the device last reported to the daemon, or `nil` before
  /// its first report.
  public var battery: Int? {
    get async { await client.device(at: device.path)?.device.battery }
  }

  /// Signal strength in dBm of the device's last advertisement, or `nil` if none was received. A
  /// linked device does not advertise.
  public var rssi: Int? {
    get async { await client.sight.device(at: device.path)?.rssi }
  }

  /// Marks the device as trusted, so that the daemon does not forget it if no advertisements are
  /// received for a while.
  public func trust() async throws(BlueZError) {
    do {
      try await client.set(
        "Trusted", of: BlueZName.device, on: device.path, to: .boolean(true))
    } catch {
      throw BlueZError(error)
    }
  }

  /// Pairs with the device by exchanging keys, unless it is already paired.
  public func pair() async throws(BlueZError) {
    try await radio.pair(device.path)
  }

  /// Closes the link. Does nothing if the link is already down.
  ///
  /// A request to close a dead link may hang. If `hasHungUp` is true, the call therefore first
  /// waits briefly for the daemon to report that the link dropped. If the report arrives, the call
  /// makes no request. The board then stays wanted, so the radio tries to establish another link.
  public func disconnect(hasHungUp: Bool = false) async {
    subscription?.close()
    if hasHungUp {
      let path = device.path
      let isGone = await client.wait(seconds: 0.5) { $0.device(at: path)?.isConnected != true }
      if isGone { return }
    }
    await radio.release(device.address)
  }
}
