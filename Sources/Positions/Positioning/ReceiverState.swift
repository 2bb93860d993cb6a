/// What a position source is doing: the words are those of the log, of the live view and of stored
/// events.
///
/// Only `fix2D`, `fix3D` and `fixed` mean that the last position is the present one.
public enum ReceiverState: String, Hashable, Sendable, CaseIterable {
  /// The source is open or about to be, and nothing was heard yet.
  case searching
  /// It speaks and has no fix.
  case noFix = "no fix"
  /// It has a fix without altitude.
  case fix2D = "2D fix"
  /// It has a fix with altitude.
  case fix3D = "3D fix"
  /// It had a fix, and no newer one came when it was due.
  case stale
  /// It is there and no intact sentence comes.
  case lost
  /// It is not there: no port, or a receiver that gpsd has lost.
  case unplugged
  /// No gpsd answers.
  case noDaemon = "no gpsd"
  /// gpsd answers and has no receiver.
  case noDevice = "no device"
  /// A place that the user named.
  case fixed = "fixed position"
  /// The file is at its end.
  case ended

  /// Whether the last position is the present one.
  public var isCurrent: Bool {
    switch self {
    case .fix2D, .fix3D, .fixed: true
    case .searching, .noFix, .stale, .lost, .unplugged, .noDaemon, .noDevice, .ended: false
    }
  }

  /// Whether nothing is heard of the source any more, which no recording can want.
  public var isLoss: Bool {
    switch self {
    case .lost, .unplugged, .noDaemon, .noDevice: true
    case .searching, .noFix, .fix2D, .fix3D, .stale, .fixed, .ended: false
    }
  }
}
