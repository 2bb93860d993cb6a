extension Setback {
  static let noVerdict = Setback(.unavailable, "the server's response does not mention this item")

  /// The severity of the setback compared with the other setbacks in a response. The most severe
  /// setback determines the reaction.
  var weight: Double {
    switch kind {
    case .faulty, .forbidden: rest ?? 0
    case .unavailable: 1 + (rest ?? 0)
    case .wrongClock: 1e9
    case .rejected: 2e9
    }
  }
}
