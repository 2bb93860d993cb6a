import Foundation
@testable import Fuzzing
import TestSupport
import Testing

@Suite(.computation) struct CorpusTests {
  /// Reads the inputs stored beside this file.
  func corpus(_ fuzzer: Fuzzer) throws -> CorpusFile {
    let path = Repository.path("\(fuzzer.rawValue).hex", beside: #filePath)
    return try #require(CorpusFile(path: path))
  }

  @Test(arguments: Fuzzer.allCases)
  func `no input in the fuzzing corpus breaks a rule`(_ fuzzer: Fuzzer) throws {
    let inputs = try corpus(fuzzer).entries
    #expect(!inputs.isEmpty && inputs.count <= 200)
    // A broken rule ends the process, and the last line printed is its message.
    for input in inputs { fuzzer.play(input.bytes) }
  }

  @Test
  func `inputs from the fuzzing corpus get past the first request and reach a running session`()
    throws
  {
    let inputs = try corpus(.session).entries
    let running = inputs.filter { SessionCheck.play($0.bytes) }
    #expect(running.count >= 5, "change the inputs to what the session asks now")
  }

  @Test func `an input file contains hexadecimal bytes and comments`() {
    let file = CorpusFile("# two inputs\n00 ff # one\n\n0102\n")
    #expect(file?.entries.map(\.bytes) == [[0, 255], [1, 2]])
    #expect(file?.entries.map(\.line) == [2, 4])
    #expect(CorpusFile("0 0 1") == nil)
    #expect(CorpusFile("xy") == nil)
  }

  @Test func `a replay prints the name of each input before it runs, and reports unreadable files`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "crash")
    try Data([0, 3, 1, 1, 1]).write(to: input)
    let list = folder.appending(path: "list.hex")
    try Data("00\n00 02 0380\n".utf8).write(to: list)

    var lines: [String] = []
    let name = Fuzzer.notification.rawValue
    #expect(ReplayCommand.run([name, input.path, list.path]) { lines.append($0) } == 0)
    #expect(
      lines == [
        "\(input.path):1: 5 bytes", "\(list.path):1: 1 bytes", "\(list.path):2: 4 bytes",
        "3 inputs run, no findings",
      ])
    lines = []
    let none = folder.appending(path: "none").path
    #expect(ReplayCommand.run([name, none]) { lines.append($0) } == 2)
    #expect(lines.first?.hasPrefix("error: cannot read") == true)
    for (arguments, status) in [([], 2), ([name], 2), (["noise", none], 2), (["--help"], 0)] {
      lines = []
      #expect(ReplayCommand.run(arguments) { lines.append($0) } == Int32(status))
      #expect(lines == [ReplayCommand.usage])
    }
  }

  @Test(.realTime) func `a broken rule ends the process`() async {
    await #expect(processExitsWith: .failure) { hold(false, "never") }
  }
}
