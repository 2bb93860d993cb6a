import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct ThisProcessTests {
  /// Returns how many kilobytes of mapped files, mostly code, this process has in memory.
  private func code() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
    return try #require(
      line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
  }

  @Test func `code that is not needed is removed from memory, and loaded again on demand`() throws {
    let before = try code()
    ThisProcess.trimMemory()
    // Other tests continue to run and load the code that they need.
    #expect(try code() < before)
    #expect((1...1_000).map { "\($0)" }.joined().count == 2_893)
  }
}
