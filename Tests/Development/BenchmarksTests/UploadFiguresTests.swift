import TestSupport
import Testing

/// The upload of a short walk, as in `bench upload`.
@Suite(.realTime) struct UploadFiguresTests {
  @Test(arguments: [[], ["--folder"]])
  func `every chunk arrives, and a simultaneous recording loses no samples`(
    options: [String]
  ) async throws {
    let outcome = try await Program.run(
      Program.built("bench"), ["upload", "--chunks", "40", "--turns", "1"] + options)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("40 chunks, ") == true, "\(outcome.output)")
    #expect(lines.contains { $0.hasSuffix(" packets waited, 0 lost") }, "\(outcome.output)")
    for line in lines where line.contains("skipped") { print(line) }
  }

  @Test(arguments: [["--chunks", "0"], ["--turns"], ["--often"]])
  func `the error for an invalid call states the mistake`(arguments: [String]) async throws {
    let outcome = try await Program.run(Program.built("bench"), ["upload"] + arguments)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: '\(arguments[0])'"), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("       try 'bench --help'\n"))
  }
}
