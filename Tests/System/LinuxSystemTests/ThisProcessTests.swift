import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct ThisProcessTests {
  /// Kilobytes of files, mostly of code, that are in this process's memory.
  private func code() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
    return try #require(
      line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
  }

  @Test func `unneeded code leaves memory, and returns on demand`() throws {
    let before = try code()
    ThisProcess.trimMemory()
    // Other tests continue, and load the code that they need.
    #expect(try code() < before)
    #expect((1...1_000).map { "\($0)" }.joined().count == 2_893)
  }
}
