internal import Values

/// Remembers the upload pause that is recorded in the store, so that each change is written only
/// once.
struct RestNotice {
  /// Whether the store records an upload pause or the reason for one.
  private var isNoted: Bool
  /// The end of the pause that the store records.
  private var told: BootTime?
  /// Whether the destination has stored anything in this run.
  private var hasStored = false

  init(isNoted: Bool) {
    self.isNoted = isNoted
  }

  mutating func noteStored() { hasStored = true }

  /// Returns the change to write to the store, or `nil` if the store is up to date.
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
