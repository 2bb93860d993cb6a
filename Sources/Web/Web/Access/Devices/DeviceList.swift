public import Values

/// The paired devices, most recently seen first.
///
/// The order needs no clock, which a gateway in the field may not have.
public struct DeviceList: Hashable, Sendable {
  /// The most devices. A further one replaces the device that was not seen for longest.
  public static let capacity = 64
  /// Seconds after which another sighting is worth writing to the disk.
  static let worthKeeping = 3_600.0

  public private(set) var devices: [PairedDevice] = []

  public init() {}

  /// Devices in the order in which they were seen; `nil` if there are too many, or one is repeated.
  init?(_ devices: [PairedDevice]) {
    guard devices.count <= Self.capacity, Set(devices.map(\.mark)).count == devices.count else {
      return nil
    }
    self.devices = devices
  }

  public subscript(mark: DeviceMark) -> PairedDevice? {
    devices.first { $0.mark == mark }
  }

  /// Adds a device. Returns the one that it replaced.
  @discardableResult
  public mutating func add(_ device: PairedDevice) -> PairedDevice? {
    devices.removeAll { $0.mark == device.mark }
    devices.insert(device, at: 0)
    return devices.count > Self.capacity ? devices.removeLast() : nil
  }

  /// Notes that a device was seen, now or at an unknown time. Returns whether this is worth writing
  /// to the disk.
  @discardableResult
  public mutating func saw(_ mark: DeviceMark, at now: UTCTime?) -> Bool {
    guard let place = devices.firstIndex(where: { $0.mark == mark }) else { return false }
    var device = devices.remove(at: place)
    defer { devices.insert(device, at: 0) }
    guard let now else { return false }
    // After a clock was set back, a time in the future would otherwise stay for ever.
    let former = device.seen
    device.seen = now
    return former.map { abs(Double(now.nanoseconds) - Double($0.nanoseconds)) / 1e9 }
      .map { $0 >= Self.worthKeeping } ?? true
  }

  /// Forgets the devices with this id, or with this name, and returns them.
  public mutating func forget(_ idOrName: String) -> [PairedDevice] {
    let byID = devices.filter { $0.id == idOrName }
    let gone = byID.isEmpty ? devices.filter { $0.name == idOrName } : byID
    devices.removeAll { gone.contains($0) }
    return gone
  }

  /// Forgets the device with this mark and returns it.
  public mutating func forget(_ mark: DeviceMark) -> PairedDevice? {
    guard let place = devices.firstIndex(where: { $0.mark == mark }) else { return nil }
    return devices.remove(at: place)
  }

  public mutating func forgetAll() { devices = [] }
}
