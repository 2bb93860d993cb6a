@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// `footbridge export --study` and `--format bids`.
@Suite(.computation) struct ExportStudyTests {
  private let walk: RecordedWalk
  private let folder: TemporaryFolder
  private var study: String { folder.path + "/study" }

  init() throws {
    walk = try RecordedWalk()
    folder = try TemporaryFolder()
  }

  @Test
  func `each session with samples is exported to a study only once, unless '--force' is given`()
    async throws
  {
    let skipped = "Skipped session 11112222, which has no samples\n"
    #expect(
      await walk.run("export", "--study", study)
        == Outcome(
          status: 0,
          output: skipped + "Exported 3,000 samples to \(study)/sub-unknown11112233/ses-01\n"))
    #expect(
      await walk.run("export", "--study", study) == Outcome(status: 0, output: skipped))
    let again = await walk.run("export", "last", "--study", study)
    #expect(again.status == 1)
    #expect(
      again.errors == """
        error: cannot add session \(RecordedWalk.walk.id) to \(study): the dataset already contains it
               add --force to replace it, or leave it out

        """)
    #expect(
      await walk.run("export", "--study", study, "--force", "last").output
        == "Exported 3,000 samples to \(study)/sub-unknown11112233/ses-01\n")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: study + "/sub-unknown11112233").sorted()
        == [
          "ses-01", "sub-unknown11112233_sessions.json", "sub-unknown11112233_sessions.tsv",
        ])
  }

  @Test func `a single session is exported as a new dataset, but not into a folder with files`()
    async throws
  {
    let path = folder.path + "/walk.bids"
    #expect(
      await walk.run("export", "last", "--output", path).output
        == "Exported 3,000 samples to \(path)/sub-unknown11112233/ses-01\n")
    #expect(
      await walk.run("export", "last", "--format", "bids", "--output", path)
        == Outcome(
          status: 1,
          errors: """
            error: cannot write \(path): the folder is not empty
                   give a folder that is empty or does not exist yet, or use '--study' instead of '--output' to add the session to a dataset

            """))
    let part = await walk.run(
      "export", "last", "--study", study, "--signal", "light", "--from", "70")
    #expect(part.status == 0 && part.output.hasPrefix("Exported "), "\(part)")
    #expect(
      await walk.run("export", "last", "--study", study + "2", "--from", "74.9", "--to", "75")
        .status == 0)
  }

  @Test(arguments: [
    (["last", "--format", "bids"], "'--format bids' writes a folder"),
    (["last", "last"], "'last' is a second session"),
    ([], "'SESSION' is missing"),
    (["--study", "s", "--format", "csv"], "'--study' is for BIDS, not for csv"),
    (
      ["last", "--study", "s", "--output", "o"], "'--study' and '--output' cannot be used together"
    ),
    (["last", "--study", "s", "--wide"], "'--study' and '--wide' cannot be used together"),
    (
      ["last", "--format", "bids", "--output", "o.csv"],
      "'--format bids' contradicts the extension of 'o.csv'"
    ),
  ])
  func `missing, surplus or conflicting arguments are rejected`(
    _ arguments: [String], _ message: String
  ) async {
    let outcome = await Outcome.of(["export"] + arguments, environment: [:], commands: Commands.all)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome.errors)")
  }

  @Test func `'fetch' rejects a format that produces a folder of files`() async {
    let outcome = await walk.run("fetch", "endpoint", "last", "--format", "bids")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix(
        "error: cannot write bids with fetch: this format is a folder of many files\n"))
  }
}
