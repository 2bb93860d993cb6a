internal import ChunkFormat
public import Recording
public import Storage
public import Values

/// Steps counted again from chunks, for boards that were worn elsewhere than assumed at the first
/// count: a leg feels every other step, the trunk feels each.
public struct StepRecount: Sendable {
  /// The rows of statistics that changed.
  public private(set) var steps: [SessionStatistics.Steps] = []
  /// Boards that keep their step counts, since some of their chunks are missing.
  public private(set) var uncounted: [BoardAddress] = []

  /// Counts the steps of boards that are worn elsewhere now. Only the chunks of these boards are
  /// read.
  ///
  /// - Parameters:
  ///   - former: where boards were worn when the steps of `statistics` were counted.
  ///   - present: where they are worn by present knowledge.
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

  /// The steps of a board by its accelerometer; `nil` where a chunk is missing.
  private static func count(
    _ board: BoardAddress, worn placement: String, in session: UniqueID,
    _ reader: borrowing StoreReader
  ) throws(StoreError) -> Int? {
    for stream in try reader.streams(of: session) where stream.board.address == board {
      // Steps depend on the numbers of samples and not on times.
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
  /// These statistics with the recounted rows in place of the same boards' rows.
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
