public import BoardDriver
public import Positioning
public import Recording
public import Values

/// The report on a recording, with the counts of this computer.
public struct RecordingReport: Sendable {
  public struct Board: Sendable {
    /// The number by which the session's streams name the board.
    public var number: UInt16
    public var identity: BoardIdentity
    public var packets: ReaderCounts
    /// Links that were lost and restored.
    public var lostLinks: Int
    /// The last requested interval of its link, and the interval that it got.
    public var link: LinkReport?
    /// Unusable packets, by kind.
    public var diagnosis: PacketDiagnosis
    /// The error that ended the board early, if any.
    public var failure: (any Error)?
  }

  /// The session in the store.
  public var session: UniqueID
  /// The boards that were linked, by number.
  public var boards: [Board]
  public var totals: RecorderTotals
  /// The last state; `nil` without a position source.
  public var receiver: ReceiverStatus?
  /// The error that ended the recording early, if any.
  public var failure: (any Error)?

  /// Whether samples arrived, even if only during a pause. A session without any is not kept.
  public var hasSamples: Bool { totals.streams.contains { $0.arrived > 0 } }

  /// The error that ended the recording or one of its boards early.
  public var firstFailure: (any Error)? {
    totals.failure ?? failure ?? boards.lazy.compactMap(\.failure).first
  }

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
