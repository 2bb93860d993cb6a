internal import Values

/// What the store knows of a destination's rest, so that it is told of each change once.
struct RestNotice {
  /// Whether the store says that the destination rests, or why it did.
  private var isNoted: Bool
  /// The rest that the store was told of.
  private var told: BootTime?

  init(isNoted: Bool) {
    self.isNoted = isNoted
  }

  /// What the store is to be told now; `nil` where it knows.
  mutating func change(to retry: RetryPolicy, hasSucceeded: Bool) -> UploadQueue.Action? {
    switch retry.state {
    case .resting(let until, let setback) where told != until:
      told = until
      isNoted = true
      return .rest(until: until, failures: retry.failures, setback)
    case .ready where isNoted && (told != nil || hasSucceeded):
      told = nil
      isNoted = false
      return .rest(until: nil, failures: 0, nil)
    case .ready, .resting, .probing: return nil
    }
  }
}
