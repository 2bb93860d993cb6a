internal import DBus
public import LinuxSystem

/// A device that is linked, with its attributes known and its notifications on.
public struct DeviceLink: Sendable {
  private let radio: BlueZRadio
  private let client: BlueZClient
  private let writer: CharacteristicWriter
  private let subscription: SignalSubscription?
  /// The device as of the moment when the link came up.
  public let device: Device
  public let characteristics: [Characteristic]
  /// Delivers each notification as one packet; hangs up when the link drops.
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
        .linkLost, "\(device.address) went away while it was being linked",
        remedy: "bring the board nearer")
    }
    writer = CharacteristicWriter(client, command)
  }

  /// Whether the notifications arrive as signals of the bus, which cost more.
  public var isBySignals: Bool { subscription != nil }

  /// Reads the characteristic with a UUID.
  public func read(_ uuid: String) async throws(BlueZError) -> [UInt8] {
    guard let characteristic = characteristics.first(where: { $0.uuid == uuid }) else {
      throw BlueZError(
        .notABoard, "\(device.address) has no characteristic \(uuid)",
        remedy: "it is not a MetaWear board, or it is in its bootloader: restart it")
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

  /// Writes a command, in the order of the calls; an acknowledged write returns when the device has
  /// taken it.
  public func write(_ bytes: [UInt8], acknowledged: Bool) async throws(BlueZError) {
    do {
      try await writer.write(bytes, acknowledged: acknowledged)
    } catch {
      throw BlueZError(error)
    }
  }

  /// Charge of the device's battery in percent, as last reported to the daemon.
  public var battery: Int? {
    get async { await client.device(at: device.path)?.device.battery }
  }

  /// Strength of the device's last advertisement in dBm, if one was heard: a linked device sends
  /// none.
  public var rssi: Int? {
    get async { await client.sight.device(at: device.path)?.rssi }
  }

  /// Makes the daemon remember the device even when it is not heard for a while.
  public func trust() async throws(BlueZError) {
    do {
      try await client.set(
        "Trusted", of: BlueZName.device, on: device.path, to: .boolean(true))
    } catch {
      throw BlueZError(error)
    }
  }

  /// Exchanges keys with the device, unless it is already paired.
  public func pair() async throws(BlueZError) {
    try await radio.pair(device.path)
  }

  /// Ends the link; does nothing if it is already down.
  ///
  /// After a hang-up the daemon gets a moment to notice by itself that the link is gone: a call to
  /// end a dead link may hang. By then the radio is bringing up another link, and continues until
  /// the board is released.
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
