import Foundation

/// Files of the repository that tests read: documents, rules, and files made by `.ci/setup
/// --tests`.
public enum Repository {
  private static let folder: URL = {
    var folder = URL(filePath: #filePath).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
      precondition(folder.path != "/", "the tests were moved away from their Package.swift")
      folder.deleteLastPathComponent()
    }
    return folder
  }()

  /// The full path of a file, from its path in the repository.
  public static func path(_ file: String) -> String { folder.appending(path: file).path }

  /// The path of a file beside a test, which passes its own path.
  public static func path(_ file: String, beside test: String) -> String {
    URL(filePath: test).deletingLastPathComponent().appending(path: file).path
  }

  /// The Python with the packages of `Tests/requirements.txt`, where there is one.
  public static let python = path(".build/test-environment/bin/python")

  /// The folder of recorded vectors for the protocol and NMEA, where there is one.
  public static let vectors =
    ProcessInfo.processInfo.environment["FOOTBRIDGE_VECTORS"]
    ?? folder.deletingLastPathComponent().appending(path: "shared/vectors").path
}
