/// One check of `footbridge doctor`: its subject, its result and the remedy.
struct Finding: Hashable, Sendable {
  /// The severity of a finding.
  enum Level: String, CaseIterable, Hashable, Sendable {
    /// Something does not work, or recordings are in danger.
    case fault
    /// It works, but not as well as it could, or not after the next start.
    case warning
    /// As it should be, or of no concern here.
    case ok
  }

  /// The subjects of findings, in the order of the report.
  enum Check: String, CaseIterable, Hashable, Sendable {
    /// The Bluetooth service.
    case bluetoothd
    /// Access of this user to the Bluetooth service.
    case rights
    /// The Bluetooth adapters.
    case adapter
    /// Switches that block the radio.
    case rfkill
    /// Wi-Fi on the chip of an adapter.
    case wifi
    /// Ways to change connection intervals.
    case link
    /// Serial ports, and the named source of positions.
    case receiver
    /// ModemManager, which talks to serial ports.
    case modem
    case gpsd
    /// The system clock.
    case clock
    /// The clock that runs while the computer is off.
    case rtc
    /// The folder of the store.
    case store
    /// The file system below the store.
    case disk
    /// The time that the disk takes for a sync.
    case sync
    /// Places to which recordings are sent.
    case destination
    /// The broker that connects this gateway to its fleet.
    case sharing
    /// The unit of systemd.
    case service
    /// The rules of udev.
    case udev
    /// The power supply.
    case power
    /// Messages of the kernel since the start.
    case kernel
    /// The wear of memory cards.
    case card
  }

  var check: Check
  var level: Level
  /// The finding: no capital at the start and no full stop.
  var text: String
  /// Instructions; empty if nothing has to be done.
  var remedy = ""
}

extension Finding {
  /// A finding without a remedy.
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
