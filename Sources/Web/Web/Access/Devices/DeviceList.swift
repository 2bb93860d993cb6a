public import Values

/// The paired devices, most recently seen first.
///
/// The order does not depend on a clock, because a gateway in the field may not have the correct
/// time.
public struct DeviceList: Hashable, Sendable {
  /// Maximum number of devices. An additional device replaces the device seen least recently.
  public static let capacity = 64
  /// Minimum number of seconds between two sightings of the same device that are written to the
  /// disk.
  static let worthKeeping = 3_600.0

  public private(set) var devices: [PairedDevice] = []

  public init() {}

  /// Creates a list of devices, most recently seen first; `nil` if there are too many devices, or a
  /// device is listed twice.
  init?(_ devices: [PairedDevice]) {
    guard devices.count <= Self.capacity, Set(devices.map(\.mark)).count == devices.count else {
      return nil
    }
    self.devices = devices
  }

  public subscript(mark: DeviceMark) -> PairedDevice? {
    devices.first { $0.mark == mark }
  }

  /// Adds a device. Returns the device that it replaced, or `nil` if there was space.
  @discardableResult
  public mutating func add(_ device: PairedDevice) -> PairedDevice? {
    devices.removeAll { $0.mark == device.mark }
    devices.insert(device, at: 0)
    return devices.count > Self.capacity ? devices.removeLast() : nil
  }

  /// Records that a device was seen, now or at an unknown time. Returns whether the sighting is
  /// worth writing to the disk.
  @discardableResult
  public mutating func saw(_ mark: DeviceMark, at now: UTCTime?) -> Bool {
    guard let place = devices.firstIndex(where: { $0.mark == mark }) else { return false }
    var device = devices.remove(at: place)
    defer { devices.insert(device, at: 0) }
    guard let now else { return false }
    // If the clock was set back, a stored time may be in the future. Without this check, such a
    // time would never be replaced.
    let former = device.seen
    device.seen = now
    return former.map { abs(Double(now.nanoseconds) - Double($0.nanoseconds)) / 1e9 }
      .map { $0 >= Self.worthKeeping } ?? true
  }

  /// Removes and returns the devices with this id or name.
  public mutating func forget(_ idOrName: String) -> [PairedDevice] {
    let byID = devices.filter { $0.id == idOrName }
    let gone = byID.isEmpty ? devices.filter { $0.name == idOrName } : byID
    devices.removeAll { gone.contains($0) }
    return gone
  }

  public mutating func forget(_ mark: DeviceMark) -> PairedDevice? {
    guard let place = devices.firstIndex(where: { $0.mark == mark }) else { return nil }
    return devices.remove(at: place)
  }

  public mutating func forgetAll() { devices = [] }
}
