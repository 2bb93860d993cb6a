public import DBus
internal import Recording
public import Values

/// A Bluetooth failure, with a remedy for the user.
public struct BlueZError: Remediable, Hashable {
  /// Determines how callers react.
  public enum Kind: Sendable {
    /// The bus is unreachable, or bluetoothd is not running.
    case daemonMissing
    /// No usable adapter was found.
    case noAdapter
    /// The adapter is off, or its radio is blocked.
    case adapterOff
    /// The bus policy forbids the call.
    case notPermitted
    case boardNotFound
    /// The board was advertising, but the connection failed.
    case connectFailed
    /// The connected device is not a MetaWear board.
    case notABoard
    case bootloader
    /// Another program on this computer is using the board.
    case held
    case notPaired
    case linkLost
    /// The daemon refused for some other reason.
    case refused
  }

  public var kind: Kind
  /// The operation that failed, and the object it was performed on.
  public var message: String
  public var remedy: String

  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  public init(_ error: BusError) {
    let text = "\(error.operation): \(error.message)"
    switch Refusal(error).kind {
    case .daemonLost where error.kind == .disconnected:
      self.init(
        .daemonMissing, "cannot \(error.operation): \(error.message)",
        remedy: "start D-Bus, or set DBUS_SYSTEM_BUS_ADDRESS to the bus to use")
    case .daemonLost:
      self.init(.daemonMissing, "bluetoothd is not running (\(text))", remedy: Self.startDaemon)
    case .denied:
      self.init(
        .notPermitted, "no permission to use the system bus (\(text))",
        remedy: "add the user to the group 'bluetooth' and log in again")
    case .unanswered:
      self.init(
        .refused, "bluetoothd did not respond to \(error.operation)",
        remedy: "if it still does not respond, restart it with 'sudo systemctl restart bluetooth'")
    case .gone:
      self.init(
        .linkLost, "the object no longer exists (\(text))",
        remedy: "the board went out of range; move it closer and try again")
    case .off:
      self.init(.adapterOff, "the adapter is off (\(text))", remedy: Self.switchOn)
    case .blocked:
      self.init(.adapterOff, "the radio is blocked (\(text))", remedy: Self.unblock)
    case .linkLost:
      self.init(.linkLost, text, remedy: "move the board closer")
    case .held:
      self.init(.held, "another program is using the board (\(text))", remedy: Self.endOther)
    case .notPaired:
      self.init(
        .notPaired, "the board must be paired first (\(text))",
        remedy: "pair it with 'footbridge pair BOARD'")
    default:
      self.init(.refused, text, remedy: "see the journal of bluetooth.service for the reason")
    }
  }

  init(
    _ failure: LinkFailure, to board: BoardAddress, _ settings: Radio.Settings, _ sight: Sight
  ) {
    switch failure.kind {
    case .notFound:
      self.init(
        .boardNotFound, "did not find \(board)",
        remedy: "press the board's button, move it closer, and check that no phone is using it")
    case .noRoom:
      self.init(
        .connectFailed,
        "no room for \(board): every adapter already has \(settings.slots) boards",
        remedy: "plug in another Bluetooth adapter, or use fewer boards")
    case .connectFailed:
      self.init(
        .connectFailed, "cannot connect to \(board): \(failure.text)",
        remedy: "move the board closer, check its battery, and check that no phone is using it")
    case .foreign:
      self.init(
        .notABoard,
        "\(board) is not a MetaWear board" + (failure.text.isEmpty ? "" : ": \(failure.text)"),
        remedy: "run 'footbridge scan' to list the boards in range")
    case .bootloader:
      self.init(
        .bootloader, "\(board) is in its bootloader",
        remedy: "briefly remove its battery; "
          + "if the board stays in its bootloader, update its firmware")
    case .obstacle(let obstacle):
      self.init(obstacle, settings, sight)
    }
  }

  init(_ obstacle: Obstacle, _ settings: Radio.Settings, _ sight: Sight) {
    switch obstacle {
    case .daemonMissing:
      self.init(.daemonMissing, "bluetoothd is not running", remedy: Self.startDaemon)
    case .noAdapter:
      let chosen = settings.adapters.map(\.description).joined(separator: " or ")
      let others = sight.adapters.compactMap { adapter in
        adapter.address.map { "\($0) (\(adapter.name))" }
      }
      self.init(
        .noAdapter,
        chosen.isEmpty
          ? "there is no Bluetooth adapter" : "there is no Bluetooth adapter \(chosen)",
        remedy: others.isEmpty
          ? "plug one in; 'bluetoothctl list' shows the adapters that the system finds"
          : "plug it in, or use one of these: " + others.joined(separator: ", "))
    case .off:
      self.init(.adapterOff, "the Bluetooth adapter is off", remedy: Self.switchOn)
    case .blocked:
      self.init(.adapterOff, "the Bluetooth radio is blocked", remedy: Self.unblock)
    case .denied(let text):
      self.init(
        .notPermitted, "no permission to use Bluetooth (\(text))",
        remedy: "add the user to the group 'bluetooth' and log in again")
    }
  }

  private static let startDaemon = "start it with 'sudo systemctl start bluetooth'"
  private static let switchOn = "switch it on with 'bluetoothctl power on'"
  private static let unblock = "unblock it with 'rfkill unblock bluetooth'"
  static let endOther = "stop the other program, or use another board"
}
