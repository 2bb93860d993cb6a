internal import CommandLineTool
internal import Fleet
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Upload
internal import Values

/// A walk of a fleet in its own store, from which its page is answered. The store is removed with
/// the last reference to this object.
final class WalkCopy: Sendable {
  /// The state of the session in the database when it was copied.
  private let revision: SessionRevision
  /// Whether parts are missing that may arrive later.
  private let isPartial: Bool
  let missingFixes: Int
  private let made = BootClock.now()
  private let folder: TemporaryFolder
  /// The gateway's name in the fleet; `nil` if it was revoked.
  let gatewayName: String?
  /// Answers from the store. For the thread `page`.
  let look: PageLook

  /// Seconds after which an incomplete copy is made again, even without new data: an unreachable
  /// object may be back.
  private static let retrySeconds = 30.0

  init(
    _ revision: SessionRevision, of gatewayName: String?, missing: SessionCopy.Missing,
    in folder: TemporaryFolder, _ look: PageLook
  ) {
    self.gatewayName = gatewayName
    self.revision = revision
    isPartial = !missing.isEmpty
    missingFixes = missing.fixCount
    self.folder = folder
    self.look = look
  }

  /// Whether it still exists: a cleaner of temporary folders may have removed it.
  var isThere: Bool { Folder.exists(folder.path + "/session.sqlite") }

  /// Whether it shows this state of the database.
  func shows(_ revision: SessionRevision) -> Bool {
    guard revision == self.revision else { return false }
    return !isPartial || BootClock.now().seconds(since: made) < Self.retrySeconds
  }
}

extension Guarded<WalkShelf<WalkCopy>> {
  /// The copy of a walk, if it is kept and still exists.
  func kept(_ walk: FleetWalk) -> WalkCopy? {
    withLock { $0.use(walk) }.flatMap { $0.isThere ? $0 : nil }
  }
}
