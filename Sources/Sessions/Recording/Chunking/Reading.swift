public import Values

/// An element of a reader thread's ring buffer: a sample, or an event that affects samples.
///
/// The size is fixed and the type contains no references, so pushing an element copies 32 bytes.
public struct Reading: BitwiseCopyable, Sendable {
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// A sample. `x`, `y` and `z` contain its raw counts, and `w` the fourth axis or the board's
    /// ticks.
    case sample
    /// The ring buffer was full: `counter` samples of this stream were dropped before this element.
    case overflow
    /// The link to the board was lost at `arrival`, so every stream of the board pauses.
    case linkLost
    /// A packet of this stream could not be decoded; it presumably contained `counter` samples.
    case malformed
    /// The board's sensors were restarted, so its numbering restarts with the next sample.
    case restarted
    /// The board itself restarted, and its numbering restarts with the next sample.
    case rebooted
    /// The board is connected but has sent no samples of this stream since `arrival`.
    case silent
    /// The board's own count: it has taken `counter` samples of this stream since its numbering
    /// began. The gateway had received `x` of them, or −1 if only the recorder knows that number.
    case tally
  }

  /// The kernel's timestamp of the packet, converted to the boot clock.
  public var arrival: BootTime
  /// The sample number assigned by the board, modulo 2³². Its meaning in other elements is
  /// described in `Kind`.
  public var counter: UInt32
  /// Index of the board in the session's list of boards.
  public var board: UInt16
  /// Index of the stream among its board's streams.
  public var stream: UInt8
  public var kind: Kind
  public var x: Int32
  public var y: Int32
  public var z: Int32
  /// Raw counts of the fourth axis, or the board's ticks; 0 if the stream has neither.
  public var w: Int32

  public init(
    kind: Kind = .sample, board: UInt16, stream: UInt8, arrival: BootTime, counter: UInt32,
    x: Int32 = 0, y: Int32 = 0, z: Int32 = 0, w: Int32 = 0
  ) {
    self.arrival = arrival
    self.counter = counter
    self.board = board
    self.stream = stream
    self.kind = kind
    self.x = x
    self.y = y
    self.z = z
    self.w = w
  }

  public func axis(_ index: Int) -> Int32 {
    switch index {
    case 0: x
    case 1: y
    case 2: z
    default: w
    }
  }
}
