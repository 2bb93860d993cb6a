public import Recording
public import Export
internal import LinuxSystem
internal import Values

/// Samples from the last minute, in columns. The recorder fills them while someone is watching.
final class ColumnsBoard: Sendable {
  private struct Stream: Sendable {
    var board: BoardIdentity
    var description: StreamDescription
    /// End of the last column that `takeNew` returned.
    var taken = -Double.infinity
  }

  private struct State: ~Copyable, Sendable {
    var isWatched = false
    var columns = LiveColumns(streams: 0)
    var streams: [Stream] = []
    /// Index of each board's first stream.
    var firstStreams: [UInt16: Int] = [:]
  }

  private let state = Guarded(State())
  /// The zero point of the columns' shared clock.
  private let start: BootTime

  init(start: BootTime) { self.start = start }

  var isWatched: Bool { state.withLock { $0.isWatched } }

  func watch(_ isWatched: Bool) { state.withLock { $0.isWatched = isWatched } }

  /// Adds a board's streams. A board that is set up again keeps its streams.
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

  /// The maximum time in seconds between the arrival of a sample and its delivery to the recorder.
  /// While someone is watching, the reader wakes at this interval.
  private static let patience = 0.1

  /// Returns the columns that have not been returned yet, for each stream that has any.
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

public struct LiveStreamColumns: Sendable {
  public let board: BoardIdentity
  public let description: StreamDescription
  /// The columns in order, on a clock shared by all streams of the recording.
  public let columns: [LiveColumn]
}
