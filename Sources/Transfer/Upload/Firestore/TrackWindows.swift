internal import LinuxSystem
internal import Recording
internal import Values

/// A section of a session's track. It consists of the two pages of fixes around an instant. Exports
/// use the same pages, so a sample gets the same position as in an export. Only these two pages are
/// in memory, regardless of the track's length.
struct TrackWindow: Sendable {
  var track: FixTrack
  /// The number of pages from the start of the track to the end of this section.
  fileprivate(set) var pages: Int
  /// The time of this section's last fix.
  fileprivate(set) var horizon: BootTime
  fileprivate(set) var isLast: Bool

  /// Returns whether this section is sufficient to determine a sample's position at this instant.
  func reaches(_ time: BootTime) -> Bool { isLast || time < horizon }
}

/// Finds the section of a track that determines a sample's position. Remembers the end of each
/// section that it has read.
final class TrackWindows: Sendable {
  private struct Content {
    /// The end times of sections, indexed by the sections' number of pages. The entry for 0 pages
    /// is earlier than any sample.
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

  /// Returns the section that determines a sample's position at this instant.
  func window(at time: BootTime) async throws -> TrackWindow {
    let (last, known) = content.withLock { content in
      (content.last, content.horizons.firstIndex { time < $0 })
    }
    if let last, last.reaches(time), known.map({ $0 == last.pages }) ?? last.isLast { return last }
    // If no known section covers this instant, the following sections are read one after another.
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
    // The last section applies to all later samples. Its end time is not stored, because no section
    // follows it.
    content.withLock { content in
      if !isLast, content.horizons.count == pages { content.horizons.append(horizon) }
    }
    return TrackWindow(track: track, pages: pages, horizon: horizon, isLast: isLast)
  }
}
