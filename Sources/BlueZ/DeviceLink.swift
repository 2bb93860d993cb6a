internal import DBus
public import LinuxSystem
internal import Recording

/// A device with a link up and its services known.
public struct DeviceLink: Sendable {
  private let client: BlueZClient
  /// The device as it was when the link came up.
  public let device: Device
  /// Its characteristics.
  public let characteristics: [Characteristic]

  init(client: BlueZClient, device: Device, characteristics: [Characteristic]) {
    self.client = client
    self.device = device
    self.characteristics = characteristics
  }

  /// The characteristic with a UUID.
  public func characteristic(_ uuid: String) throws(BlueZError) -> Characteristic {
    guard let found = characteristics.first(where: { $0.uuid == uuid }) else {
      throw BlueZError(
        .notABoard, "\(device.address) has no characteristic \(uuid)",
        remedy: "it is not a MetaWear board, or it is in its bootloader: restart it")
    }
    return found
  }

  /// Reads a characteristic's value from the device.
  public func read(_ characteristic: Characteristic) async throws(BlueZError) -> [UInt8] {
    let answer = try await client.call(
      "ReadValue", on: characteristic.path, of: BlueZName.characteristic, [.properties([:])],
      deadline: 30)
    return answer.first?.byteArray ?? []
  }

  /// Writes a value, as a request the device acknowledges or as a command it does not.
  public func write(
    _ bytes: [UInt8], to characteristic: Characteristic, acknowledged: Bool
  ) async throws(BlueZError) {
    let type = BusValue.string(acknowledged ? "request" : "command")
    try await client.call(
      "WriteValue", on: characteristic.path, of: BlueZName.characteristic,
      [.bytes(bytes), .properties(["type": type])], deadline: 30)
  }

  /// A descriptor on which every notification arrives as one packet.
  public func acquireNotify(
    _ characteristic: Characteristic
  ) async throws(BlueZError) -> OwnedDescriptor {
    let answer = try await client.call(
      "AcquireNotify", on: characteristic.path, of: BlueZName.characteristic, [.properties([:])],
      deadline: 10)
    guard let descriptor = answer.first?.descriptor?.take() else {
      throw BlueZError(
        .refused, "bluetoothd gave no descriptor for \(characteristic.uuid)",
        remedy: "update BlueZ to 5.66 or later")
    }
    return descriptor
  }

  /// Ends the link. The daemon takes some two seconds to answer; an error means it was down already.
  public func disconnect() async {
    _ = try? await client.call(
      "Disconnect", on: device.path, of: BlueZName.device, deadline: 6)
  }
}
