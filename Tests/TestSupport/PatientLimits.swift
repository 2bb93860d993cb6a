public import HTTPServer

extension ServerLimits {
  /// Limits that leave a test its time. A test may have to make a large body between connecting and
  /// sending, and a sanitizer slows the sending down tenfold.
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
