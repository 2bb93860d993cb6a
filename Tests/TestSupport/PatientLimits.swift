public import HTTPServer

extension ServerLimits {
  /// Limits that leave a test its time between connecting and sending: it may have to make a large
  /// body first.
  public static var patient: ServerLimits {
    var limits = ServerLimits()
    limits.firstHeadSeconds = patience
    limits.bodySeconds = patience
    return limits
  }
}
