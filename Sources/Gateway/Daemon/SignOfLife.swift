internal import Values

/// Decides whether the daemon may tell the service manager that it works. Being alive is not
/// enough: samples have to flow.
///
/// Only a fault that a restart may cure counts: boards are linked and set up, and yet no sample of
/// any of them arrives. Boards that are out of reach, switched off or empty are no such fault.
struct SignOfLife: Sendable {
  /// Seconds without a sample, from the moment at which samples should flow.
  static let patience = 60.0

  private var silence: BootTime?
  private var samples: UInt64 = 0

  /// Notes the samples received by the recording under way, and the number of boards that should be
  /// sending. Returns whether it works.
  mutating func works(samples: UInt64, sending boards: Int, at now: BootTime) -> Bool {
    defer { self.samples = samples }
    guard boards > 0, samples == self.samples else {
      silence = nil
      return true
    }
    guard let silence else {
      self.silence = now
      return true
    }
    return now.seconds(since: silence) < Self.patience
  }
}
