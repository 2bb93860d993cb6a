internal import Values

/// The store's knowledge of a destination's rest, so that each change is noted once.
struct RestNotice {
  /// Whether the store contains a rest of the destination, or the reason of one.
  private var isNoted: Bool
  /// The end of the rest noted in the store.
  private var told: BootTime?
  /// Whether the destination has stored anything in this run.
  private var hasStored = false

  init(isNoted: Bool) {
    self.isNoted = isNoted
  }

  /// Notes that the destination has stored something.
  mutating func noteStored() { hasStored = true }

  /// The note that the store needs now; `nil` if it is up to date.
  mutating func change(to retry: RetryPolicy) -> UploadQueue.Action? {
    switch retry.state {
    case .resting(let until, let setback) where told != until:
      told = until
      isNoted = true
      return .rest(until: until, failures: retry.failures, setback)
    case .ready where isNoted && (told != nil || hasStored):
      told = nil
      isNoted = false
      return .rest(until: nil, failures: 0, nil)
    case .ready, .resting, .probing: return nil
    }
  }
}
