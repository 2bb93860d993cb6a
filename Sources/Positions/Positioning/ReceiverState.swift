/// The state of a position source, in the words of the log, the live view and stored events.
///
/// Only `fix2D`, `fix3D` and `fixed` mean that the last position is current.
public enum ReceiverState: String, Hashable, Sendable, CaseIterable {
  /// The source is open or about to be opened, and has sent nothing yet.
  case searching
  /// The receiver sends data but has no fix.
  case noFix = "no fix"
  /// The receiver has a fix without altitude.
  case fix2D = "2D fix"
  /// The receiver has a fix with altitude.
  case fix3D = "3D fix"
  /// The receiver had a fix, but the next one is overdue.
  case stale
  /// The source is open, but no intact sentence arrives.
  case lost
  /// The source is missing: no port, or a receiver that gpsd has lost.
  case unplugged
  /// No gpsd answers.
  case noDaemon = "no gpsd"
  /// gpsd answers but has no receiver.
  case noDevice = "no device"
  /// A place named by the user.
  case fixed = "fixed position"
  /// The file has ended.
  case ended

  /// Whether the last position is current.
  public var isCurrent: Bool {
    switch self {
    case .fix2D, .fix3D, .fixed: true
    case .searching, .noFix, .stale, .lost, .unplugged, .noDaemon, .noDevice, .ended: false
    }
  }

  /// The remedy for a state without a current position; empty where none is needed.
  public var remedy: String {
    switch self {
    case .fix2D, .fix3D, .fixed, .ended: ""
    case .searching, .noFix, .stale:
      "take it under the open sky; 'footbridge gps' shows what it receives"
    case .lost: "check its plug and its power; 'footbridge gps' finds its speed"
    case .unplugged: "plug it in and check its power; 'footbridge gps' shows the ports"
    case .noDaemon: "start gpsd with 'sudo systemctl start gpsd'"
    case .noDevice: "plug the receiver in; 'footbridge doctor' shows the receivers of gpsd"
    }
  }

  /// Whether the source sends nothing any more, which is unwanted in any recording.
  public var isLoss: Bool {
    switch self {
    case .lost, .unplugged, .noDaemon, .noDevice: true
    case .searching, .noFix, .fix2D, .fix3D, .stale, .fixed, .ended: false
    }
  }
}
