/// The result of one check of `footbridge doctor`: the subject, the level and the remedy.
struct Finding: Hashable, Sendable {
  /// The severity of a finding.
  enum Level: String, CaseIterable, Hashable, Sendable {
    /// Something does not work, or recordings are at risk.
    case fault
    /// Something works less well than it could, or will stop working after the next restart.
    case warning
    /// The check found no problem, or does not apply here.
    case ok
  }

  /// The subjects of findings, in report order.
  enum Check: String, CaseIterable, Hashable, Sendable {
    /// The Bluetooth service's state.
    case bluetoothd
    /// This user's permission to use the Bluetooth service.
    case rights
    case adapter
    /// The kernel switches that block the Bluetooth radio.
    case rfkill
    /// The Wi-Fi interface on the same chip as a Bluetooth adapter.
    case wifi
    /// The methods for changing the connection interval of a link.
    case link
    /// Serial ports, and the position source that the user named.
    case receiver
    /// ModemManager, which probes serial ports.
    case modem
    case gpsd
    /// Whether the system clock is synchronised.
    case clock
    /// The real-time clock, which keeps the time while the computer is off.
    case rtc
    /// The folder that contains the store.
    case store
    /// The file system that contains the store.
    case disk
    /// The duration of a disk sync.
    case sync
    case destination
    /// The broker that connects this gateway to its fleet.
    case sharing
    /// The systemd unit that runs the gateway.
    case service
    case udev
    case power
    /// The kernel messages since boot.
    case kernel
    /// The memory cards' wear.
    case card
  }

  var check: Check
  var level: Level
  /// The finding's description, without an initial capital or a full stop.
  var text: String
  /// Instructions for fixing the problem; empty if nothing needs to be done.
  var remedy = ""
}

extension Finding {
  static func ok(_ check: Check, _ text: String) -> Finding {
    Finding(check: check, level: .ok, text: text)
  }

  static func warning(_ check: Check, _ text: String, remedy: String) -> Finding {
    Finding(check: check, level: .warning, text: text, remedy: remedy)
  }

  static func fault(_ check: Check, _ text: String, remedy: String) -> Finding {
    Finding(check: check, level: .fault, text: text, remedy: remedy)
  }
}
