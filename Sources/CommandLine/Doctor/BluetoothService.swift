internal import BlueZ

/// The state of the Bluetooth service, as the system bus reports it.
struct BluetoothService: Hashable, Sendable {
  enum Answer: Hashable, Sendable {
    /// The bus cannot be reached, for this reason.
    case noBus(String)
    /// The bus has no client of the service's name.
    case notRunning
    /// The policy of the bus refuses, in these words.
    case denied(String)
    /// The service does not answer.
    case silent
    /// Something else was refused, in these words.
    case refused(String)
    /// The service has these adapters.
    case adapters([Adapter])
  }

  var answer: Answer
  /// Whether the program of the service is on the disk.
  var isInstalled: Bool
  /// Whether this process belongs to the group 'bluetooth'.
  var isInGroup = false
  /// The release by the `Modalias` of an adapter, such as 5.66; `nil` if that has none.
  var release: Release?

  /// A release of BlueZ.
  struct Release: Hashable, Comparable, Sendable, CustomStringConvertible {
    var major: Int
    var minor: Int

    /// The oldest release that Footbridge is tested with.
    static let oldest = Release(major: 5, minor: 66)

    static func < (older: Release, newer: Release) -> Bool {
      (older.major, older.minor) < (newer.major, newer.minor)
    }

    /// As BlueZ writes it.
    var description: String { "\(major).\(minor)" }
  }

  /// Findings about the service and the rights to use it.
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
          .rights, "the policy of the system bus denies this user org.bluez (\(words))",
          remedy: isInGroup
            ? "allow the group 'bluetooth' in a file below /etc/dbus-1/system.d"
            : "add the user to the group 'bluetooth' with 'sudo usermod -aG bluetooth $USER' "
              + "and log in again")
      ]
    case .silent:
      return [
        .fault(
          .bluetoothd, "bluetoothd is running, but does not answer",
          remedy: "restart it with 'sudo systemctl restart bluetooth'")
      ]
    case .refused(let words):
      return [
        .fault(
          .bluetoothd, "bluetoothd refuses to list its adapters: \(words)",
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
      "bluetoothd \(release) is running, older than \(Release.oldest), the oldest tested release",
      remedy: "update BlueZ")
  }

  /// The adapters, if the service listed them.
  var adapters: [Adapter]? {
    if case .adapters(let adapters) = answer { adapters } else { nil }
  }
}

extension BluetoothService.Release {
  /// Reads the release in a `Modalias` such as `usb:v1D6Bp0246d0542`, which bluetoothd makes unless
  /// its settings name another device.
  init?(modalias: String) {
    let prefix = "usb:v1D6Bp0246d"
    guard modalias.hasPrefix(prefix), let code = Int(modalias.dropFirst(prefix.count), radix: 16)
    else { return nil }
    self.init(major: code >> 8, minor: code & 0xff)
  }
}
