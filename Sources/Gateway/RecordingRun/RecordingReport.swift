public import BoardDriver
public import Positioning
public import Recording
public import Values

/// The report on a recording, based on the packets and samples that this computer counted.
public struct RecordingReport: Sendable {
  public struct Board: Sendable {
    /// The board's number in the session's streams.
    public var number: UInt16
    public var identity: BoardIdentity
    public var packets: ReaderCounts
    /// Number of lost links, whether or not another link was established.
    public var lostLinks: Int
    /// The last requested connection interval, and the interval achieved.
    public var link: LinkReport?
    /// The board's unusable packets, by kind.
    public var diagnosis: PacketDiagnosis
    /// The error that ended the board's recording early, or `nil`.
    public var failure: (any Error)?
  }

  public var session: UniqueID
  /// The boards that were linked, by number.
  public var boards: [Board]
  public var totals: RecorderTotals
  /// The receiver's last state, or `nil` without a position source.
  public var receiver: ReceiverStatus?
  /// The error that ended the recording early, or `nil`.
  public var failure: (any Error)?

  /// Whether any samples arrived, even if only during a pause. A session without samples is
  /// deleted.
  public var hasSamples: Bool { totals.streams.contains { $0.arrived > 0 } }

  /// The first error that ended the recording or one of its boards early.
  public var firstFailure: (any Error)? {
    totals.failure ?? failure ?? boards.lazy.compactMap(\.failure).first
  }

  public func board(_ number: UInt16) -> Board? { boards.first { $0.number == number } }

  /// Returns the seconds between the first and the last sample of one board, or of all boards.
  public func seconds(ofBoard board: UInt16? = nil) -> Double {
    let streams = totals.streams.filter { board == nil || $0.board == board }
    guard let first = streams.compactMap(\.firstSample).min(),
      let last = streams.compactMap(\.lastSample).max()
    else { return 0 }
    return last.seconds(since: first)
  }
}
