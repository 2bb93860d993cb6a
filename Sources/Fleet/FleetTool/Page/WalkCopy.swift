internal import CommandLineTool
internal import Fleet
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Upload
internal import Values

/// A copy of a fleet's walk in its own store, used to serve the walk's page. The store is deleted
/// when the last reference to this object is released.
final class WalkCopy: Sendable {
  /// The session's state in the database when it was copied.
  private let revision: SessionRevision
  /// Whether the copy lacks data that may arrive later.
  private let isPartial: Bool
  let missingFixes: Int
  private let made = BootClock.now()
  private let folder: TemporaryFolder
  /// The gateway's name in the fleet; `nil` if its token was revoked.
  let gatewayName: String?
  /// Answers requests from the copy's store. It must be used only by the thread `page`.
  let look: PageLook

  /// Seconds after which an incomplete copy is renewed even if no new data has arrived, because an
  /// unreachable object may be available again.
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

  /// Whether the files still exist: a cleanup of temporary files may have removed them.
  var isThere: Bool { Folder.exists(folder.path + "/session.sqlite") }

  /// Whether the copy shows this revision. An incomplete copy does so only for `retrySeconds`.
  func shows(_ revision: SessionRevision) -> Bool {
    guard revision == self.revision else { return false }
    return !isPartial || BootClock.now().seconds(since: made) < Self.retrySeconds
  }
}

extension Guarded<WalkShelf<WalkCopy>> {
  /// Returns the cached copy of a walk, if its files still exist.
  func kept(_ walk: FleetWalk) -> WalkCopy? {
    withLock { $0.use(walk) }.flatMap { $0.isThere ? $0 : nil }
  }
}
