internal import Foundation
public import Testing

/// Expects that the help of a program reads as in a file; writes the file where that is asked for.
public func expect(
  help: String, isIn path: String, at place: SourceLocation = #_sourceLocation
) throws {
  if ProcessInfo.processInfo.environment["FOOTBRIDGE_WRITE_HELP"] != nil {
    try help.write(toFile: path, atomically: true, encoding: .utf8)
  }
  let printed = help.components(separatedBy: "\n")
  let expected = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
  guard printed != expected else { return }
  // No line differs where one text is the beginning of the other.
  let line =
    zip(printed, expected).enumerated().first { $1.0 != $1.1 }?.offset
    ?? min(printed.count, expected.count)
  Issue.record(
    """
    \(path), line \(line + 1), differs from what the program prints:
      file:    \(line < expected.count ? expected[line] : "(ends here)")
      program: \(line < printed.count ? printed[line] : "(ends here)")
    If the program is right, write the file again, and review the change with 'git diff':
      FOOTBRIDGE_WRITE_HELP=1 swift test --filter Help
    """, sourceLocation: place)
}
