internal import ChunkFormat
public import Recording
public import Storage
public import Values

/// Steps recounted from chunks, for boards whose position on the body differs from the one assumed
/// in the first count. A board on a leg feels every other step; a board on the trunk feels each
/// one.
public struct StepRecount: Sendable {
  /// The changed rows of the statistics.
  public private(set) var steps: [SessionStatistics.Steps] = []
  /// Boards whose previous step counts remain, because chunks are missing.
  public private(set) var uncounted: [BoardAddress] = []

  /// Recounts the steps of boards whose position on the body has changed. Only the chunks of these
  /// boards are read.
  ///
  /// - Parameters:
  ///   - former: The boards' positions when the steps of `statistics` were counted.
  ///   - present: The boards' current positions.
  public init(
    _ statistics: SessionStatistics, of session: UniqueID, in reader: borrowing StoreReader,
    from former: [BoardAddress: String], to present: [BoardAddress: String]
  ) throws(StoreError) {
    for var row in statistics.steps where row.source == .accelerometer {
      let placement = present[row.board] ?? ""
      guard Wear(placement: placement) != Wear(placement: former[row.board] ?? "") else { continue }
      guard let count = try Self.count(row.board, worn: placement, in: session, reader) else {
        uncounted.append(row.board)
        continue
      }
      row.count = count
      steps.append(row)
    }
  }

  /// Returns the steps of a board, counted from its accelerometer, or `nil` if a chunk is missing.
  private static func count(
    _ board: BoardAddress, worn placement: String, in session: UniqueID,
    _ reader: borrowing StoreReader
  ) throws(StoreError) -> Int? {
    for stream in try reader.streams(of: session) where stream.board.address == board {
      // The step count depends on the sample numbers, not on the times.
      var meter = StatisticsMeter(start: BootTime(nanoseconds: 0))
      let number = meter.add(stream.description, of: board, placement: placement)
      guard let number, meter.statistics().steps.first?.source == .accelerometer else { continue }
      let chunks = try reader.chunks(of: stream)
      guard let last = try reader.lastSequence(of: stream), chunks.count == Int(last) + 1 else {
        return nil
      }
      for row in chunks {
        let bytes = try reader.bytes(ofChunk: row.id)
        guard let chunk = try? Chunk(decoding: bytes.span) else { return nil }
        meter.take(chunk, stream: number)
      }
      return meter.statistics().steps.first?.count
    }
    return nil
  }
}

extension SessionStatistics {
  /// Replaces the rows of these boards with the recounted ones.
  func with(_ recounted: [Steps]) -> SessionStatistics {
    var statistics = self
    for row in recounted {
      guard let place = statistics.steps.firstIndex(where: { $0.board == row.board }) else {
        continue
      }
      statistics.steps[place] = row
    }
    return statistics
  }
}
