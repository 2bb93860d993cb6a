internal import BlueZ
internal import Values

/// The methods that this computer can use to change connection intervals, and the initial
/// parameters of new links.
struct LinkSettings: Hashable, Sendable {
  /// The parameters that an adapter uses for new links, in the kernel's units.
  struct Defaults: Hashable, Sendable {
    /// The adapter's name, such as `hci0`.
    var adapter: String
    /// The minimum interval, in steps of 1.25 ms.
    var shortest: Int
    /// The maximum interval, in steps of 1.25 ms.
    var longest: Int
    /// The supervision timeout, in steps of 10 ms.
    var timeout: Int
  }

  /// The methods that this process may use to change intervals; `nil` if the kernel offers no
  /// Bluetooth sockets.
  var abilities: HostController.Abilities?
  /// The initial link parameters of all adapters; empty if this user may not read them.
  var defaults: [Defaults]

  /// The kernel's default supervision timeout, 420 ms. With a shorter timeout, even slight
  /// interference drops a link.
  private static let usualTimeout = 42
  /// The longest acceptable interval, 100 ms. With a longer interval, setting up a board takes many
  /// seconds.
  private static let slowInterval = 80

  var findings: [Finding] {
    let ways =
      switch abilities {
      case nil:
        "only boards can request connection intervals, because raw Bluetooth access is not "
          + "available"
      case [.update, .load]:
        "Footbridge may change connection intervals in the controller and in the kernel"
      case .update: "Footbridge may change the connection interval of a live link in the controller"
      case .load: "Footbridge may set connection intervals in the kernel"
      default: "only boards can request connection intervals, which is nearly always enough"
      }
    return [.ok(.link, ways)] + defaults.map(Self.finding)
  }

  private static func finding(_ defaults: Defaults) -> Finding {
    func milliseconds(_ steps: Int) -> String { NumberText.plain(Double(steps) * 1.25) }
    let text =
      "new links of \(defaults.adapter) start with intervals of \(milliseconds(defaults.shortest)) to "
      + "\(milliseconds(defaults.longest)) ms and a timeout of \(defaults.timeout * 10) ms"
    guard defaults.timeout < usualTimeout || defaults.longest > slowInterval else {
      return .ok(.link, text)
    }
    return .warning(
      .link, text,
      remedy: "correct [LE] in /etc/bluetooth/main.conf, or unplug the adapter and plug it in again"
    )
  }
}

extension LinkSettings {
  /// Reads the kernel's debug files, which only root can read.
  init(_ abilities: HostController.Abilities?, _ tree: SystemTree) {
    self.abilities = abilities
    let folder = "/sys/kernel/debug/bluetooth"
    defaults = tree.names(folder).compactMap { name in
      guard let shortest = tree.number("\(folder)/\(name)/conn_min_interval"),
        let longest = tree.number("\(folder)/\(name)/conn_max_interval"),
        let timeout = tree.number("\(folder)/\(name)/supervision_timeout")
      else { return nil }
      return Defaults(adapter: name, shortest: shortest, longest: longest, timeout: timeout)
    }
  }
}
