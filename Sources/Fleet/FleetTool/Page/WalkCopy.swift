internal import CommandLineTool
internal import Fleet
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Upload
internal import Values

/// A walk of a fleet in a store of its own, from which its page is answered. The store goes with
/// the last use of this.
final class WalkCopy: Sendable {
  /// How far the database had the session when it was copied.
  private let revision: SessionRevision
  /// Whether parts are missing that may be there later.
  private let isPartial: Bool
  /// Positions that are missing.
  let missingFixes: Int
  private let made = BootClock.now()
  private let folder: TemporaryFolder
  /// The name that its gateway has in the fleet; `nil` if it was revoked.
  let gatewayName: String?
  /// Answers from the store. For the thread `page`.
  let look: PageLook

  /// Seconds after which a copy that lacks parts is made again, though nothing new has come: an
  /// object that was away may be back.
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

  /// Whether it is still there: what cleans temporary folders may have removed it.
  var isThere: Bool { Folder.exists(folder.path + "/session.sqlite") }

  /// Whether it shows what the database has at this revision.
  func shows(_ revision: SessionRevision) -> Bool {
    guard revision == self.revision else { return false }
    return !isPartial || BootClock.now().seconds(since: made) < Self.retrySeconds
  }
}

extension Guarded<WalkShelf<WalkCopy>> {
  /// The copy of a walk, if it is kept and still there.
  func kept(_ walk: FleetWalk) -> WalkCopy? {
    withLock { $0.use(walk) }.flatMap { $0.isThere ? $0 : nil }
  }
}
