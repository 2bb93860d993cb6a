internal import Foundation

/// Prevents a user's settings from affecting the tests and the programs that they start. Every user
/// then gets the same results.
enum Surroundings {
  /// Environment variables that would make the programs use different files, another language or a
  /// proxy.
  private static let misleading = [
    "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
    "NO_PROXY", "LC_ALL", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "POSIXLY_CORRECT",
    "CREDENTIALS_DIRECTORY", "DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS",
    "FOOTBRIDGE_STORE", "FOOTBRIDGE_GPS", "FOOTBRIDGE_SIMULATION_STORE",
    "FOOTBRIDGE_SIMULATION_GPS",
  ]

  /// Makes the environment the same for every user.
  static func use() {
    _ = isUsed
  }

  private static let isUsed: Bool = {
    for name in misleading { unsafe unsetenv(name) }
    unsafe setenv("LANG", "C.UTF-8", 1)
    // The programs must not use the store of a gateway installed on this computer.
    unsafe setenv("FOOTBRIDGE_CONFIG", "", 1)
    // Some tests switch to another user, who must be able to open the files.
    umask(0o022)
    TestFolder.use()
    return true
  }()
}
