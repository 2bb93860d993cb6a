import Foundation
public import Testing

/// Files of the repository that tests read: documents, udev rules, and files created by `.ci/setup
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

  /// Returns the absolute path of a file, given its path in the repository.
  public static func path(_ file: String) -> String { folder.appending(path: file).path }

  /// Returns the path of a file in the same folder as the test source with the path `test`.
  public static func path(_ file: String, beside test: String) -> String {
    URL(filePath: test).deletingLastPathComponent().appending(path: file).path
  }

  /// The path of the Python that has the packages in `Tests/requirements.txt`. This Python may not
  /// be installed.
  public static let python = path(".build/test-environment/bin/python")

  /// The environment variables that let a Python program find the package in `Sources/Python`.
  public static let pythonPath = [
    "PYTHONPATH": path("Sources/Python/src"), "PYTHONDONTWRITEBYTECODE": "1",
  ]
  /// Whether the tests' Python exists and has NumPy, which the package in `Sources/Python` needs.
  public static let hasPythonPackage = FileManager.default.isExecutableFile(
    atPath: path(".build/test-environment/bin/numpy-config"))
  /// The reason to skip a test that needs the package in `Sources/Python`.
  public static let absenceOfPythonPackage: Comment =
    "SKIPPED: NumPy is not installed in .build/test-environment (.ci/setup --tests)"

  /// The path of the folder with recorded vectors for the protocol and NMEA, which may be missing.
  public static let vectors =
    ProcessInfo.processInfo.environment["FOOTBRIDGE_VECTORS"]
    ?? folder.deletingLastPathComponent().appending(path: "shared/vectors").path
}
