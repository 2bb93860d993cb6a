internal import Foundation

/// What the tests and the programs they start take from the user who runs them: as little as
/// possible, so that they do the same for everybody.
enum Surroundings {
  /// Variables that would lead the programs elsewhere, to another language or through a proxy.
  private static let misleading = [
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    "NO_PROXY", "LC_ALL", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "POSIXLY_CORRECT",
    "CREDENTIALS_DIRECTORY", "DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS",
    "FOOTBRIDGE_STORE", "FOOTBRIDGE_GPS",
  ]

  /// Makes them the same for everybody from now on.
  static func use() {
    _ = isUsed
  }

  private static let isUsed: Bool = {
    for name in misleading { unsafe unsetenv(name) }
    unsafe setenv("LANG", "C.UTF-8", 1)
    // Tests become another user, who has to find the files.
    umask(0o022)
    TestFolder.use()
    return true
  }()
}
