internal import LinuxSystem

/// The program `fuzz` in an ordinary build: runs a fuzzer on the given files.
public enum ReplayCommand {
  public static let usage = """
    usage: fuzz \(Fuzzer.allCases.map(\.rawValue).joined(separator: "|")) FILE...
           FILE is an input found by the fuzzer, or a list of inputs whose name ends in .hex
    """

  public static func fuzzer(of arguments: [String]) -> Fuzzer? {
    arguments.first.flatMap(Fuzzer.init)
  }

  /// Runs the fuzzer on the files on the command line, and ends the process. Prints each line
  /// immediately, because a finding ends the process.
  public static func main() {
    let output = OwnedDescriptor(owning: 1)
    let status = run(Array(CommandLine.arguments.dropFirst())) {
      _ = output.write(Array("\($0)\n".utf8))
    }
    _ = output.release()
    ThisProcess.exit(status)
  }

  /// Runs the fuzzer on every file. Announces each input first, because a finding ends the process.
  /// Returns the exit status: 0, or 2 for invalid arguments or an unreadable file.
  public static func run(_ arguments: [String], say: (String) -> Void) -> Int32 {
    guard let fuzzer = fuzzer(of: arguments), arguments.count > 1 else {
      say(usage)
      return arguments == ["--help"] ? 0 : 2
    }
    var count = 0
    for path in arguments.dropFirst() {
      guard let file = CorpusFile(path: path) else {
        say("error: cannot read \(path): it is missing, or one of its lines is not hexadecimal")
        say("specify inputs found by the fuzzer, or lists of inputs in hexadecimal")
        return 2
      }
      for entry in file.entries {
        say("\(path):\(entry.line): \(entry.bytes.count) bytes")
        fuzzer.play(entry.bytes)
      }
      count += file.entries.count
    }
    say("\(count) inputs run, no findings")
    return 0
  }
}
