internal import BlueZ

/// The Bluetooth service's state, as the system bus reports it.
struct BluetoothService: Hashable, Sendable {
  enum Answer: Hashable, Sendable {
    /// The bus cannot be reached; the value is the reason.
    case noBus(String)
    /// No program on the bus owns the Bluetooth service's name.
    case notRunning
    /// The bus policy denies access; the value is its message.
    case denied(String)
    /// The service does not respond.
    case silent
    /// The service rejected a call; the value is its message.
    case refused(String)
    /// The service responded, and listed these adapters.
    case adapters([Adapter])
  }

  var answer: Answer
  /// Whether bluetoothd is installed.
  var isInstalled: Bool
  /// Whether this process belongs to the group 'bluetooth'.
  var isInGroup = false
  /// The BlueZ release, such as 5.66, read from an adapter's `Modalias`; `nil` if no `Modalias`
  /// contains a release.
  var release: Release?

  /// The version number of a BlueZ release.
  struct Release: Hashable, Comparable, Sendable, CustomStringConvertible {
    var major: Int
    var minor: Int

    /// The oldest release that Footbridge is tested with.
    static let oldest = Release(major: 5, minor: 66)

    static func < (older: Release, newer: Release) -> Bool {
      (older.major, older.minor) < (newer.major, newer.minor)
    }

    var description: String { "\(major).\(minor)" }
  }

  /// Findings about the service and the permission to use it.
  var findings: [Finding] {
    switch answer {
    case .noBus(let reason):
      return [
        .fault(
          .bluetoothd, "the system bus cannot be reached: \(reason)",
          remedy: isInstalled
            ? "start D-Bus ('sudo systemctl start dbus'), or set DBUS_SYSTEM_BUS_ADDRESS to the bus "
              + "to use" : "install D-Bus and BlueZ with 'sudo apt install bluez'")
      ]
    case .notRunning:
      return [
        .fault(
          .bluetoothd,
          isInstalled ? "bluetoothd is not running" : "bluetoothd is not installed",
          remedy: isInstalled
            ? "start it with 'sudo systemctl start bluetooth'"
            : "install it with 'sudo apt install bluez'")
      ]
    case .denied(let words):
      return [
        .fault(
          .rights, "the policy of the system bus denies this user access to org.bluez (\(words))",
          remedy: isInGroup
            ? "allow access for the group 'bluetooth' in a file in /etc/dbus-1/system.d"
            : "add the user to the group 'bluetooth' with 'sudo usermod -aG bluetooth $USER' "
              + "and log in again")
      ]
    case .silent:
      return [
        .fault(
          .bluetoothd, "bluetoothd is running, but does not respond",
          remedy: "restart it with 'sudo systemctl restart bluetooth'")
      ]
    case .refused(let words):
      return [
        .fault(
          .bluetoothd, "bluetoothd refused to list its adapters: \(words)",
          remedy: "see 'journalctl -u bluetooth' for the reason")
      ]
    case .adapters:
      return [serviceFinding, .ok(.rights, "this user may use org.bluez")]
    }
  }

  private var serviceFinding: Finding {
    guard let release else { return .ok(.bluetoothd, "bluetoothd is running") }
    guard release < .oldest else { return .ok(.bluetoothd, "bluetoothd \(release) is running") }
    return .warning(
      .bluetoothd,
      "bluetoothd \(release) is running, but the oldest tested release is \(Release.oldest)",
      remedy: "update BlueZ")
  }

  /// The adapters, if the service listed them.
  var adapters: [Adapter]? {
    if case .adapters(let adapters) = answer { adapters } else { nil }
  }
}

extension BluetoothService.Release {
  /// Reads the release from a `Modalias` such as `usb:v1D6Bp0246d0542`, which bluetoothd generates
  /// unless its settings name another device.
  init?(modalias: String) {
    let prefix = "usb:v1D6Bp0246d"
    guard modalias.hasPrefix(prefix), let code = Int(modalias.dropFirst(prefix.count), radix: 16)
    else { return nil }
    self.init(major: code >> 8, minor: code & 0xff)
  }
}
