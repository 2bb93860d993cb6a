/// Commands the board gives itself when something happens (module 0a), at most 28.
public enum Event {
  /// What makes the board act.
  public struct Source: Hashable, Sendable, BitwiseCopyable {
    private let module: ModuleID
    private let register: UInt8
    private let index: UInt8

    private init(_ module: ModuleID, _ register: UInt8, _ index: UInt8) {
      self.module = module
      self.register = register
      self.index = index
    }

    var bytes: [UInt8] { [module.rawValue, register, index] }

    /// The link went away, for whatever reason; settings revision 2.
    public static let disconnect = Source(.settings, 0x0a, SignalSource.noIndex)
    /// The button was pressed or released.
    public static let `switch` = Source(.switch, 0x01, SignalSource.noIndex)
    /// A timer came round.
    public static func timer(_ id: UInt8) -> Source { Source(.timer, 0x06, id) }
    /// A data processor has output.
    public static func processor(_ id: UInt8) -> Source { Source(.dataProcessor, 0x03, id) }
  }

  /// Has the board carry out `command` whenever `source` happens: two writes, back to back, and
  /// one answer, a `Notification.created` with the event's id.
  ///
  /// Events outlive the connection, so a gateway that comes back removes them first.
  public static func record(_ command: Command, when source: Source) -> [Command] {
    let parameters = Array(command.bytes.dropFirst(2))
    return [
      Command(
        .event, 0x02,
        source.bytes + [command.bytes[0], command.bytes[1], UInt8(parameters.count)]),
      Command(.event, 0x03, parameters),
    ]
  }

  /// Forgets one event.
  public static func remove(_ id: UInt8) -> Command {
    Command(.event, 0x04, [id])
  }

  /// Forgets every event on the board.
  public static let removeAll = Command(.event, 0x05)
}
