public import BoardDriver
public import Positioning
public import Recording
public import Values

/// The report on a recording, as counted on this computer.
public struct RecordingReport: Sendable {
  /// One board.
  public struct Board: Sendable {
    /// Number of the board in the session, by which its streams name it.
    public var number: UInt16
    /// Identity of the board.
    public var identity: BoardIdentity
    /// The counts of the reader.
    public var packets: ReaderCounts
    /// Links that were lost and brought up again.
    public var lostLinks: Int
    /// The last request for an interval of its link, and the interval it got.
    public var link: LinkReport?
    /// Unusable packets, by kind.
    public var diagnosis: PacketDiagnosis
    /// Why the board ended early, if it did.
    public var failure: (any Error)?
  }

  /// The session in the store.
  public var session: UniqueID
  /// The boards that were linked, by their numbers.
  public var boards: [Board]
  /// The counts of the recorder.
  public var totals: RecorderTotals
  /// The last state of the position source; `nil` without one.
  public var receiver: ReceiverStatus?
  /// Why the recording ended early, if it did.
  public var failure: (any Error)?

  /// Whether samples came, if only during a pause: a session to which none came is not kept.
  public var hasSamples: Bool { totals.streams.contains { $0.arrived > 0 } }

  /// Why the recording or one of its boards ended before its time.
  public var firstFailure: (any Error)? {
    totals.failure ?? failure ?? boards.lazy.compactMap(\.failure).first
  }

  /// The board with a number.
  public func board(_ number: UInt16) -> Board? { boards.first { $0.number == number } }

  /// Seconds from the first to the last sample of one board, or of all of them.
  public func seconds(ofBoard board: UInt16? = nil) -> Double {
    let streams = totals.streams.filter { board == nil || $0.board == board }
    guard let first = streams.compactMap(\.firstSample).min(),
      let last = streams.compactMap(\.lastSample).max()
    else { return 0 }
    return last.seconds(since: first)
  }
}
