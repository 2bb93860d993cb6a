internal import LinuxSystem
internal import Recording
internal import Values

/// The reason why a session could not be sealed.
struct SealingFault: Remediable, Hashable {
  /// The sessions that a fault affects.
  enum Reach: Hashable {
    /// Only the session that was being sealed.
    case session
    /// All sessions, for example while the S3 service is unreachable.
    case all
    /// No session. The upload server is being stopped.
    case stopping
  }

  var reach: Reach
  var message: String
  var remedy: String
  /// Whether an object differs from the bytes that were written.
  var isDamage = false

  init(_ message: String, remedy: String, isDamage: Bool = false) {
    (reach, self.message, self.remedy) = (.session, message, remedy)
    self.isDamage = isDamage
  }

  init(_ error: StoreError) {
    (reach, message, remedy) = (.all, error.message, error.remedy)
  }

  init(_ error: ObjectStoreError) {
    switch error.kind {
    case .unavailable, .refused, .unknownOutcome: reach = .all
    case .exists, .missing, .tooShort, .foreign: reach = .session
    }
    (message, remedy) = (error.message, error.remedy)
  }

  /// Creates the fault for an object that cannot be read immediately after its creation.
  init(lost name: String, _ error: ObjectStoreError) {
    self.init(error)
    guard reach == .session else { return }
    message = "the object \(name) was accepted, but cannot be read: \(error.message)"
    remedy = "check the S3 service; no data was deleted"
  }

  init(_ error: SystemError) {
    (reach, message) = (.all, "\(error)")
    remedy = "free some space there, or set TMPDIR to another folder"
  }

  static let stopping: SealingFault = {
    var fault = SealingFault("the upload server is being stopped", remedy: "")
    fault.reach = .stopping
    return fault
  }()
}
