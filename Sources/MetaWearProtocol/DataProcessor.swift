/// Filters and counters that run on the board (module 09), at most 28 at a time.
public enum DataProcessor {
  /// What a processor does with its input.
  public enum Function: Hashable, Sendable {
    /// Collects `count` inputs of `sampleLength` bytes and passes them on as one; module revision 2.
    case packer(sampleLength: Int, count: Int)
    /// Puts a count of the inputs so far before each, in four bytes; module revision 2.
    case counter
    /// Puts the board's log tick before each input, in four bytes; module revision 2.
    case timestamp

    /// Type and configuration as the board takes them.
    var bytes: [UInt8] {
      switch self {
      case .packer(let sampleLength, let count):
        precondition(
          sampleLength > 0 && count > 0 && sampleLength * count <= 17,
          "packed values leave three bytes of a packet for its header")
        return [0x10, UInt8(sampleLength - 1), UInt8(count - 1)]
      // Both are modes of the accounter: mode, and stamp bytes minus one in the upper half.
      case .counter: return [0x11, 0x30, 0x03]
      case .timestamp: return [0x11, 0x31, 0x03]
      }
    }
  }

  /// Makes a processor; the answer is a `Notification.created` with its id, or silence if the
  /// board has no room.
  public static func create(_ function: Function, on source: SignalSource) -> Command {
    Command(.dataProcessor, 0x02, source.bytes + function.bytes)
  }

  /// Begins sending a processor's output, after `enableNotifications`.
  public static func subscribe(_ id: UInt8) -> Command {
    Command(.dataProcessor, 0x07, [id, 1])
  }

  /// Ends sending a processor's output.
  public static func unsubscribe(_ id: UInt8) -> Command {
    Command(.dataProcessor, 0x07, [id, 0])
  }

  /// Lets processors send at all; once for all of them.
  public static let enableNotifications = Command.subscribe(.dataProcessor, 0x03)

  /// Removes a processor; those that feed on it must go before it.
  public static func remove(_ id: UInt8) -> Command {
    Command(.dataProcessor, 0x06, [id])
  }

  /// Removes every processor on the board, also those of an earlier connection.
  public static let removeAll = Command(.dataProcessor, 0x08)
}
