internal import LinuxSystem
internal import Recording
internal import Values

/// A section of a session's track that consists of the two pages of fixes around an instant.
/// Exports use the same pages, so a sample gets the same position as in an export. Only these two
/// pages are in memory, however long the track is.
struct TrackWindow: Sendable {
  /// The fixes in this section.
  var track: FixTrack
  /// The number of track pages up to the end of this section.
  fileprivate(set) var pages: Int
  /// The time of the last fix in this section.
  fileprivate(set) var horizon: BootTime
  fileprivate(set) var isLast: Bool

  /// Returns whether this section suffices to determine the position of a sample at this instant.
  func reaches(_ time: BootTime) -> Bool { isLast || time < horizon }
}

/// Finds the section of a track that determines a sample's position. Remembers the end of each
/// section that it has read.
final class TrackWindows: Sendable {
  private struct Content {
    /// The times at which sections end, indexed by their number of pages. The entry for 0 pages
    /// precedes every sample.
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

  /// Returns the section that determines the position of a sample at this instant.
  func window(at time: BootTime) async throws -> TrackWindow {
    let (last, known) = content.withLock { content in
      (content.last, content.horizons.firstIndex { time < $0 })
    }
    if let last, last.reaches(time), known.map({ $0 == last.pages }) ?? last.isLast { return last }
    // If no known section covers this instant, the sections that follow are read one after another.
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
    // The last section applies to every later sample. Its end is not stored, because no section
    // follows it.
    content.withLock { content in
      if !isLast, content.horizons.count == pages { content.horizons.append(horizon) }
    }
    return TrackWindow(track: track, pages: pages, horizon: horizon, isLast: isLast)
  }
}
