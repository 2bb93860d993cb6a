/// A position source's state. The raw values appear in the log, the live view and stored events.
///
/// Only `fix2D`, `fix3D` and `fixed` mean that the last position is current.
public enum ReceiverState: String, Hashable, Sendable, CaseIterable {
  /// The source is open or about to be opened, but has sent nothing yet.
  case searching
  /// The receiver sends data but has no fix.
  case noFix = "no fix"
  /// The receiver has a fix without altitude.
  case fix2D = "2D fix"
  /// The receiver has a fix with altitude.
  case fix3D = "3D fix"
  /// The receiver had a fix, but its next fix is overdue.
  case stale
  /// The source is open, but no intact sentences arrive from it.
  case lost
  /// The source is missing, because the port does not exist or gpsd has lost the receiver.
  case unplugged
  /// There is no connection to gpsd.
  case noDaemon = "no gpsd"
  /// gpsd is running but has no receiver.
  case noDevice = "no device"
  /// The user entered a position, which is always current.
  case fixed = "fixed position"
  /// The replayed file has ended.
  case ended

  /// Whether the source's last position is still current.
  public var isCurrent: Bool {
    switch self {
    case .fix2D, .fix3D, .fixed: true
    case .searching, .noFix, .stale, .lost, .unplugged, .noDaemon, .noDevice, .ended: false
    }
  }

  /// An instruction that helps the user obtain a current position. Empty if no action is needed.
  public var remedy: String {
    switch self {
    case .fix2D, .fix3D, .fixed, .ended: ""
    case .searching, .noFix, .stale:
      "take the receiver outdoors under open sky; 'footbridge gps' shows what it receives"
    case .lost:
      "check that the receiver is plugged in and powered; 'footbridge gps' finds its speed"
    case .unplugged: "plug the receiver in and check its power; 'footbridge gps' shows the ports"
    case .noDaemon: "start gpsd with 'sudo systemctl start gpsd'"
    case .noDevice: "plug the receiver in; 'footbridge doctor' lists gpsd's receivers"
    }
  }

  /// Whether the source has stopped sending data, which is a problem in any recording.
  public var isLoss: Bool {
    switch self {
    case .lost, .unplugged, .noDaemon, .noDevice: true
    case .searching, .noFix, .fix2D, .fix3D, .stale, .fixed, .ended: false
    }
  }
}
