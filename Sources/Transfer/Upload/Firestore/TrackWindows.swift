internal import LinuxSystem
internal import Recording
internal import Values

/// A stretch of a session's track as exports use it: two pages of fixes around a given instant. A
/// sample thus gets the same position here as in an export. A month of fixes needs no more memory
/// than an hour.
struct TrackWindow: Sendable {
  /// The fixes of the stretch.
  var track: FixTrack
  /// The number of the session's pages before the end of the stretch.
  fileprivate(set) var pages: Int
  /// The time of the last fix; below it, whether the session has no further fixes.
  fileprivate(set) var horizon: BootTime
  fileprivate(set) var isLast: Bool

  /// Whether the stretch determines the position of a sample at this instant.
  func reaches(_ time: BootTime) -> Bool { isLast || time < horizon }
}

/// Finds the stretch of a track that a sample needs, and remembers the limits of the stretches it
/// has read.
final class TrackWindows: Sendable {
  private struct Content {
    /// The horizons of the stretches, by their number of pages. The entry for 0 pages precedes
    /// every sample.
    var horizons: [BootTime] = [BootTime(nanoseconds: .min)]
    var last: TrackWindow?
  }

  private let session: any OutgoingSession
  private let clock: ClockTable
  private let content = Guarded(Content())

  init(of session: any OutgoingSession, clock: ClockTable) {
    self.session = session
    self.clock = clock
  }

  /// The stretch for a sample at this instant.
  func window(at time: BootTime) async throws -> TrackWindow {
    let (last, known) = content.withLock { content in
      (content.last, content.horizons.firstIndex { time < $0 })
    }
    if let last, last.reaches(time), known.map({ $0 == last.pages }) ?? last.isLast { return last }
    // After the last known horizon, the stretches are read one after another.
    var pages = known ?? content.withLock { $0.horizons.count }
    while true {
      let window = try await load(pages)
      if window.reaches(time) {
        content.withLock { $0.last = window }
        return window
      }
      pages += 1
    }
  }

  private func load(_ pages: Int) async throws -> TrackWindow {
    let size = FixTrack.pageSize
    let older = pages > 1 ? try await session.fixes(from: (pages - 2) * size, limit: size) : []
    let newer = try await session.fixes(from: (pages - 1) * size, limit: size)
    let track = FixTrack(older + newer, clock: clock)
    let horizon = track.end ?? BootTime(nanoseconds: .min)
    let isLast = newer.count < size
    // The last stretch covers every later sample: no horizon is stored for it, so that no stretch
    // after it is looked for.
    content.withLock { content in
      if !isLast, content.horizons.count == pages { content.horizons.append(horizon) }
    }
    return TrackWindow(track: track, pages: pages, horizon: horizon, isLast: isLast)
  }
}
