internal import Glibc

/// The end of this process.
public enum ThisProcess {
  /// Ends it with a status for its caller; temporary folders that are still there go with it.
  public static func exit(_ status: Int32) -> Never {
    TemporaryFolder.removeAll()
    Glibc.exit(status)
  }
}
