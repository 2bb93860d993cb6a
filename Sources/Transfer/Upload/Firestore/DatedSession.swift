internal import ChunkFormat
internal import Recording
internal import Values

/// The session data needed to add UTC times and positions to the session's chunks.
struct DatedSession: Sendable {
  let id: UniqueID
  let hasEnded: Bool
  let clock: ClockTable
  let windows: TrackWindows

  init(_ session: any OutgoingSession) async throws {
    let record = try await session.record()
    id = record.session.id
    hasEnded = record.session.end != nil
    clock = ClockTable(record.clock)
    windows = TrackWindows(of: session, clock: clock)
  }

  /// Returns the samples of a three-axis chunk, or `nil` if their times are unknown.
  func samples(of chunk: Chunk) async throws -> SampleArray? {
    guard clock.isTrusted else { return nil }
    var writer = SampleArray.Writer(chunk.stream, clock: clock, capacity: chunk.count)
    let (x, y, z) = (chunk.columns[0], chunk.columns[1], chunk.columns[2])
    let times = chunk.times
    var row = 0
    while row < times.count {
      let window = try await windows.window(at: times[row])
      var track = window.track
      // The track window for an instant always covers it, so every iteration of the outer loop
      // makes progress.
      repeat {
        let position = track.position(at: times[row]).position
        guard writer.append(times[row], position, x: x[row], y: y[row], z: z[row]) else {
          return nil
        }
        row += 1
      } while row < times.count && window.reaches(times[row])
    }
    return writer.finish()
  }
}
