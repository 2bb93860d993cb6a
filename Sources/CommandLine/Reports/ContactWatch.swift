internal import Gateway
internal import Recording
internal import Values

/// For how long nothing has come from each stream, as seen from one status to the next.
struct ContactWatch: Sendable {
  /// Seconds without a sample after which a stream is out of contact.
  private static let patience = 2.0
  /// Samples of a slow stream that have to be missing.
  private static let patientSamples = 3.0

  /// A stream, wherever it stands in the status.
  private struct Key: Hashable, Sendable {
    var board: BoardAddress
    var signal: String
  }

  /// The samples it had, and since when it has had no more.
  private var last: [Key: (arrived: UInt64, elapsed: Double)] = [:]

  /// Looks at a status, which is newer than the one before.
  mutating func note(_ status: LiveStatus) {
    for board in status.boards {
      for stream in board.streams {
        let key = Key(board: board.identity.address, signal: stream.description.signal)
        if last[key]?.arrived != stream.arrived || stream.arrived == 0 {
          last[key] = (stream.arrived, status.elapsed)
        }
      }
    }
  }

  /// Seconds for which a stream has been out of contact; `nil` while it is not, or is not meant to
  /// send.
  func silence(
    of stream: LiveStatus.Stream, of board: LiveStatus.Board, in status: LiveStatus
  ) -> Double? {
    guard board.phase == .streaming || board.phase == .reconnecting,
      let last = last[Key(board: board.identity.address, signal: stream.description.signal)]
    else { return nil }
    let seconds = status.elapsed - last.elapsed
    let patience =
      board.phase == .reconnecting
      ? 0 : max(Self.patience, Self.patientSamples / max(stream.description.rate, 1e-3))
    return seconds > 0 && seconds >= patience ? seconds : nil
  }

  /// Seconds for which nothing at all has come from a board; `nil` while something does.
  func silence(of board: LiveStatus.Board, in status: LiveStatus) -> Double? {
    var least: Double?
    for stream in board.streams {
      guard let seconds = silence(of: stream, of: board, in: status) else { return nil }
      least = min(least ?? seconds, seconds)
    }
    return least
  }
}
