public import LinuxSystem

extension LiveStatus.Obstacle {
  static let notOnUSB = Self(text: "it is not a USB device", remedy: "")

  /// Creates the obstacle for a port that cannot be reset. The usual cause is a missing permission.
  fileprivate init(_ error: SystemError) {
    self.init(
      text: error.message,
      remedy: "install udev/60-footbridge-gps.rules and udev/61-footbridge-bluetooth.rules, and "
        + "start the service with the unit file of this release")
  }
}

/// Finds and resets this computer's USB ports.
public struct USBPorts: Sendable {
  /// The folder used in place of `/` in all paths.
  let root: String
  private let reset: @Sendable (USBDevice) throws(SystemError) -> Void

  /// Uses this computer's ports by default. Tests can use a folder tree below `root` and another
  /// reset function instead.
  public init(
    below root: String = "",
    reset: @escaping @Sendable (USBDevice) throws(SystemError) -> Void = USBPorts.resetForReal
  ) {
    self.root = root
    self.reset = reset
  }

  public static let resetForReal: @Sendable (USBDevice) throws(SystemError) -> Void = {
    device throws(SystemError) in try device.reset()
  }

  /// Returns an adapter's USB device, given a name such as `hci0`, or the reason why it cannot be
  /// reset.
  func device(ofAdapter name: String) -> Result<USBDevice, LiveStatus.Obstacle> {
    Self.checked(USBDevice(ofAdapter: name, below: root))
  }

  /// Returns a serial line's USB device, or the reason why it cannot be reset.
  func device(ofLine path: String) -> Result<USBDevice, LiveStatus.Obstacle> {
    Self.checked(USBDevice(ofLine: path, below: root))
  }

  private static func checked(_ device: USBDevice?) -> Result<USBDevice, LiveStatus.Obstacle> {
    guard let device else { return .failure(.notOnUSB) }
    if let refusal = device.refusal { return .failure(LiveStatus.Obstacle(refusal)) }
    return .success(device)
  }

  /// Resets a port on a separate thread, because a reset may take seconds. Returns the problem, or
  /// `nil` on success.
  func reset(_ device: USBDevice) async -> LiveStatus.Obstacle? {
    await withCheckedContinuation { continuation in
      let reset = reset
      let thread = try? NamedThread("usb") {
        do throws(SystemError) {
          try reset(device)
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: LiveStatus.Obstacle(error))
        }
      }
      guard let thread else {
        return continuation.resume(
          returning: LiveStatus.Obstacle(
            text: "cannot start a thread", remedy: "free some memory"))
      }
      thread.letGo()
    }
  }
}
