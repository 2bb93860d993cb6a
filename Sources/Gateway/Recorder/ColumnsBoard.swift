public import Recording
public import Export
internal import LinuxSystem
internal import Values

/// Where the recorder leaves the samples of the last minute in columns, while somebody watches.
final class ColumnsBoard: Sendable {
  private struct Stream: Sendable {
    var board: BoardIdentity
    var description: StreamDescription
    /// End of the last column that was taken.
    var taken = -Double.infinity
  }

  private struct State: ~Copyable, Sendable {
    var isWatched = false
    var columns = LiveColumns(streams: 0)
    var streams: [Stream] = []
    /// Position of each board's first stream.
    var firstStreams: [UInt16: Int] = [:]
  }

  private let state = Guarded(State())
  /// The begin of the clock of all columns.
  private let start: BootTime

  init(start: BootTime) { self.start = start }

  /// Whether somebody watches.
  var isWatched: Bool { state.withLock { $0.isWatched } }

  /// Notes whether somebody watches.
  func watch(_ isWatched: Bool) { state.withLock { $0.isWatched = isWatched } }

  /// Adds the streams of a board. A board that is set up again keeps its streams.
  func add(_ board: RegisteredBoard) {
    state.withLock { state in
      guard state.firstStreams[board.number] == nil else { return }
      state.firstStreams[board.number] = state.streams.count
      for description in board.streams {
        _ = state.columns.addStream()
        state.streams.append(Stream(board: board.identity, description: description))
      }
    }
  }

  /// Takes the samples of a round.
  func take(_ readings: [Reading], at now: BootTime) {
    state.withLock { state in
      for reading in readings where reading.kind == .sample {
        guard let first = state.firstStreams[reading.board] else { continue }
        let position = first + Int(reading.stream)
        let description = state.streams[position].description
        var values = SIMD4<Float>()
        for axis in 0..<description.axisCount {
          values[axis] = Float(description.value(of: reading.axis(axis)))
        }
        state.columns.add(
          values, at: reading.arrival.seconds(since: start), stream: position)
      }
      state.columns.advance(to: now.seconds(since: start) - Self.patience)
    }
  }

  /// Seconds that a sample may take from its arrival to the recorder: a tick of the reader.
  private static let patience = 0.1

  /// The columns that were not taken yet, of the streams that have any.
  func takeNew() -> [LiveStreamColumns] {
    state.withLock { state in
      state.streams.indices.compactMap { index in
        let columns = state.columns.columns(
          ofStream: index, after: state.streams[index].taken)
        guard let last = columns.last else { return nil }
        state.streams[index].taken = last.end
        let stream = state.streams[index]
        return LiveStreamColumns(
          board: stream.board, description: stream.description, columns: columns)
      }
    }
  }
}

/// New columns of one stream.
public struct LiveStreamColumns: Sendable {
  /// The board.
  public let board: BoardIdentity
  /// The stream.
  public let description: StreamDescription
  /// Its columns in their order, on a clock that all streams of the recording have.
  public let columns: [LiveColumn]
}
