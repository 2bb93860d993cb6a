extension Setback {
  /// For an item that the server's answer does not mention.
  static let noVerdict = Setback(.unavailable, "the server's answer does not mention it")

  /// Its priority among the setbacks of one answer; the largest decides.
  var weight: Double {
    switch kind {
    case .faulty, .forbidden: rest ?? 0
    case .unavailable: 1 + (rest ?? 0)
    case .wrongClock: 1e9
    case .rejected: 2e9
    }
  }
}
