extension Setback {
  /// An answer that says nothing of something that was sent.
  static let noVerdict = Setback(.unavailable, "the answer says nothing of it")

  /// How much it matters beside others of one answer.
  var weight: Double {
    switch kind {
    case .faulty, .forbidden: rest ?? 0
    case .unavailable: 1 + (rest ?? 0)
    case .wrongClock: 1e9
    case .rejected: 2e9
    }
  }
}
