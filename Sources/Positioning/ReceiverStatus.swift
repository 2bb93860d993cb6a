public import LinuxSystem
public import Recording

/// What the receiver is doing, for people.
public enum ReceiverState: String, Hashable, Sendable {
  /// The port is open or about to be, and nothing was heard yet.
  case searching
  /// It speaks and has no fix.
  case noFix = "no fix"
  /// It has a fix without altitude.
  case fix2D = "2D fix"
  /// It has a fix with altitude.
  case fix3D = "3D fix"
  /// The port is there and no intact sentence comes.
  case silent
  /// The port is not there.
  case unplugged
}

/// A snapshot of the receiver and its line.
public struct ReceiverStatus: Sendable {
  /// What the receiver is doing.
  public internal(set) var state = ReceiverState.searching
  /// The last fix, however old.
  public internal(set) var fix: Fix?
  /// Sentences that came intact, used or not.
  public internal(set) var goodSentences = 0
  /// Sentences that were refused.
  public internal(set) var badSentences = 0
  /// Reports that found the ring to the recorder full.
  public internal(set) var lostReports = 0
  /// Eras of 1,024 weeks that are added to the receiver's dates; see `WeekRollover`.
  public internal(set) var addedEras = 0
  /// Why the port could not be opened at the last try; `nil` while it is open.
  public internal(set) var problem: SystemError?

  init() {}
}
