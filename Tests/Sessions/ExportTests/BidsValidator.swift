import Foundation
import LinuxSystem
import TestSupport

/// The validator published by the maintainers of BIDS.
enum BidsValidator {
  /// A finding of the validator.
  struct Finding: Hashable, Decodable {
    var code: String
    var subCode: String?
    var severity: String
    var location: String?
    var issueMessage: String?
  }

  private struct Report: Decodable {
    struct Issues: Decodable {
      var issues: [Finding]
    }
    var issues: Issues
  }

  private static let program =
    URL(filePath: Repository.python).deletingLastPathComponent().path + "/bids-validator-deno"

  /// Whether the validator is installed. `bash .ci/setup --tests` installs it.
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

  /// Returns the findings in a dataset. Every row is checked.
  static func findings(in dataset: String) throws -> [Finding] {
    // The validator's runtime refuses to read files below /dev, where the tests keep their files.
    let folder = try TemporaryFolder(in: "/var/tmp")
    let report = folder.path + "/report.json"
    let errors = folder.path + "/errors"
    // The exit status is not zero if the report contains errors.
    _ = try Program.shell(
      #"""
      cp -r "$2" "$3/dataset" &&
        exec "$1" "$3/dataset" --format json --max-rows -1 --outfile "$4" > "$5" 2>&1
      """#, [program, dataset, folder.path, report, errors])
    guard let data = FileManager.default.contents(atPath: report) else {
      throw ForeignReader.Refusal(
        description: try String(contentsOfFile: errors, encoding: .utf8))
    }
    return try JSONDecoder().decode(Report.self, from: data).issues.issues
  }
}
