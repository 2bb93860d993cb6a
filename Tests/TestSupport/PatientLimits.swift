public import HTTPServer

extension ServerLimits {
  /// Generous server limits, for slow tests. Between connecting and sending, a test may have to
  /// create a large body. A sanitizer makes sending ten times slower.
  public static var patient: ServerLimits {
    var limits = ServerLimits()
    limits.firstHeadSeconds = patience
    limits.headSeconds = patience
    limits.bodySeconds = patience
    limits.strangerSeconds = patience
    limits.refusedBodySeconds = patience
    limits.idleSeconds = Int(patience)
    return limits
  }
}
