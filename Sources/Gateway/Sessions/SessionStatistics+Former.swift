internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

extension SessionStatistics {
  /// Computes a session's statistics up to its interruption, from its chunks and fixes.
  init(of interrupted: InterruptedSession, in path: String) throws(StoreError) {
    let reader = try StoreReader(path: path)
    let id = interrupted.session.id
    var meter = StatisticsMeter(start: interrupted.session.start)
    for stream in try reader.streams(of: id) {
      let board = stream.board.address
      guard
        let former = interrupted.stream(stream.description.signal, of: board),
        let number = meter.add(stream.description, of: board)
      else { continue }
      for row in try reader.chunks(of: stream) where row.sequence < former.sequence {
        let bytes = try reader.bytes(ofChunk: row.id)
        if let chunk = try? Chunk(decoding: bytes.span) { meter.take(chunk, stream: number) }
      }
    }
    for first in stride(from: 0, to: interrupted.fixCount, by: Self.page) {
      let limit = min(Self.page, interrupted.fixCount - first)
      for fix in try reader.fixes(of: id, from: first, limit: limit) { meter.take(fix) }
    }
    self = meter.statistics(until: interrupted.end)
  }

  /// Number of fixes to read with one query.
  private static let page = 1_000

  /// Combines these statistics, which cover the part after an interruption, with the statistics of
  /// the part before it.
  func after(_ former: SessionStatistics) -> SessionStatistics {
    var whole = self
    whole.distance = Self.sum(former.distance, distance)
    whole.movingSeconds += former.movingSeconds
    whole.highestSpeed = [former.highestSpeed, highestSpeed].compactMap(\.self).max()
    whole.fixSeconds += former.fixSeconds
    if let earlier = former.altitude {
      if var later = altitude, later.source == earlier.source {
        later.gain += earlier.gain
        later.loss += earlier.loss
        whole.altitude = later
      } else {
        whole.altitude = altitude ?? earlier
      }
    }
    for row in former.steps {
      if let place = whole.steps.firstIndex(where: { $0.board == row.board }) {
        whole.steps[place].count += row.count
      } else {
        whole.steps.append(row)
      }
    }
    return whole
  }

  private static func sum(_ one: Double?, _ other: Double?) -> Double? {
    guard one != nil || other != nil else { return nil }
    return (one ?? 0) + (other ?? 0)
  }
}
