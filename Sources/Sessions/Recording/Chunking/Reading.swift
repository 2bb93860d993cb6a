public import Values

/// An element of a reader thread's ring: one sample, or one notice about samples.
///
/// Fixed size and without references, so that pushing it is a copy of 32 bytes.
public struct Reading: BitwiseCopyable, Sendable {
  /// The kind of the element.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// One sample: `x`, `y`, `z`, and `w` for quaternions, contain its raw counts.
    case sample
    /// The ring was full: `counter` samples of this stream were dropped before this element.
    case overflow
    /// The link to the board dropped at `arrival`; every stream of the board pauses.
    case linkLost
    /// A packet of this stream could not be decoded; `counter` samples are assumed to be in it.
    case malformed
    /// The board's numbering restarts with the next sample: its sensors were restarted.
    case restarted
    /// The board itself restarted, and its numbering restarts with the next sample.
    case rebooted
    /// The board is present but has sent no samples of this stream since `arrival`.
    case silent
    /// The board's own count: it has taken `counter` samples of this stream since its numbering
    /// began. The gateway received `x` of them; −1 if only the recorder knows the number.
    case tally
  }

  /// The kernel's stamp of the packet, on the boot clock.
  public var arrival: BootTime
  /// The board's number of this sample, modulo 2³²; for other kinds see `Kind`.
  public var counter: UInt32
  /// Position of the board in the session's list.
  public var board: UInt16
  /// Position of the stream among the streams of its board.
  public var stream: UInt8
  /// The kind of this element.
  public var kind: Kind
  /// Raw counts of the first axis.
  public var x: Int32
  /// Raw counts of the second axis.
  public var y: Int32
  /// Raw counts of the third axis.
  public var z: Int32
  /// Raw counts of the fourth axis, 0 where there is none.
  public var w: Int32

  /// A reading with the given parts; axes that are not given are 0.
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

  /// Raw counts of an axis by its index: 0 for `x` to 3 for `w`.
  public func axis(_ index: Int) -> Int32 {
    switch index {
    case 0: x
    case 1: y
    case 2: z
    default: w
    }
  }
}
