internal import Foundation
public import Testing

/// Expects a program's help to equal the text in a file. On request, rewrites the file instead.
public func expect(
  help: String, isIn path: String, at place: SourceLocation = #_sourceLocation
) throws {
  if ProcessInfo.processInfo.environment["FOOTBRIDGE_WRITE_HELP"] != nil {
    try help.write(toFile: path, atomically: true, encoding: .utf8)
  }
  let printed = help.components(separatedBy: "\n")
  let expected = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
  guard printed != expected else { return }
  // If one text is a prefix of the other, no line differs.
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
