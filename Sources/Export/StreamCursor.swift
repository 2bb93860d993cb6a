internal import ChunkFormat
internal import Recording

/// A place in a stream, with the one chunk in memory in which it is.
struct StreamCursor {
  /// What has become of the stream so far.
  var totals: ExportTotals.Stream
  /// Time of the sample it stands on, nanoseconds; the maximum behind the last one.
  private(set) var time = Int64.max
  /// What the stream carries.
  let description: StreamDescription
  /// The raw values of the chunk, one column per axis.
  private(set) var columns: [[Int32]] = []
  /// The sample it stands on.
  private(set) var row = 0

  private let position: Int
  private var ticks: [UInt32] = []
  private var times: [Int64] = []
  private var sequence: UInt32?

  /// A cursor on the first sample of the stream at this position of the source.
  init(
    _ stream: SourceStream, position: Int, in source: borrowing some SessionSource & ~Copyable
  ) throws {
    totals = ExportTotals.Stream(board: stream.board.address, signal: stream.description.signal)
    description = stream.description
    self.position = position
    try loadChunk(from: source)
  }

  /// Goes on to the next sample.
  mutating func advance(in source: borrowing some SessionSource & ~Copyable) throws {
    row += 1
    if row < times.count {
      time = times[row]
    } else {
      try loadChunk(from: source)
    }
  }

  /// The value of one axis of the sample, in the stream's unit.
  func value(_ axis: Int) -> Double {
    description.value(of: columns[axis][row])
  }

  /// The board's clock at the sample, in seconds; `nil` where the stream has none.
  var boardSeconds: Double? {
    guard row < ticks.count else { return nil }
    return Double(ticks[row]) * StreamDescription.secondsPerBoardTick
  }

  private mutating func loadChunk(from source: borrowing some SessionSource & ~Copyable) throws {
    row = 0
    while let stored = try source.chunk(ofStream: position, after: sequence) {
      let expected = sequence.map { $0 + 1 } ?? 0
      if stored.sequence > expected {
        note(expected...(stored.sequence - 1), "not in the store")
      }
      sequence = stored.sequence
      do throws(ChunkError) {
        let chunk = try Chunk(decoding: stored.bytes.span)
        // A whole chunk in the wrong row would put one board's samples under another's name.
        guard chunk.session == source.session.id, chunk.sequence == stored.sequence,
          chunk.board.address == totals.board, chunk.stream.signal == totals.signal
        else {
          note(stored.sequence...stored.sequence, "belongs elsewhere")
          continue
        }
        if chunk.count == 0 { continue }
        times = (0..<chunk.count).map { chunk.time(at: $0).nanoseconds }
        columns = chunk.columns
        ticks = chunk.ticks
        time = times[0]
        return
      } catch {
        note(stored.sequence...stored.sequence, error.description)
      }
    }
    time = .max
    times = []
    columns = []
    ticks = []
  }

  private mutating func note(_ sequences: ClosedRange<UInt32>, _ reason: String) {
    if let last = totals.missing.last, last.reason == reason,
      last.sequences.upperBound + 1 == sequences.lowerBound
    {
      totals.missing[totals.missing.count - 1] = MissingChunks(
        sequences: last.sequences.lowerBound...sequences.upperBound, reason: reason)
    } else {
      totals.missing.append(MissingChunks(sequences: sequences, reason: reason))
    }
  }
}
