internal import LinuxSystem

/// The executable `fuzz` in an ordinary build: a fuzzer plays the given files.
public enum ReplayCommand {
  /// The usage text.
  public static let usage = """
    usage: fuzz \(Fuzzer.allCases.map(\.rawValue).joined(separator: "|")) FILE...
           FILE is an input found by the fuzzer, or a list of inputs whose name ends in .hex
    """

  /// The fuzzer named by the first argument.
  public static func fuzzer(of arguments: [String]) -> Fuzzer? {
    arguments.first.flatMap(Fuzzer.init)
  }

  /// Plays the files on the command line and ends the process. Each line is written at once,
  /// because a finding ends the process.
  public static func main() {
    let output = OwnedDescriptor(owning: 1)
    let status = run(Array(CommandLine.arguments.dropFirst())) {
      _ = output.write(Array("\($0)\n".utf8))
    }
    _ = output.release()
    ThisProcess.exit(status)
  }

  /// Plays every file and announces each input before it begins, because a finding ends the
  /// process. The exit status is 0, or 2 if a file cannot be read.
  public static func run(_ arguments: [String], say: (String) -> Void) -> Int32 {
    guard let fuzzer = fuzzer(of: arguments), arguments.count > 1 else {
      say(usage)
      return arguments == ["--help"] ? 0 : 2
    }
    var count = 0
    for path in arguments.dropFirst() {
      guard let file = CorpusFile(path: path) else {
        say("error: cannot read \(path): it is missing, or one of its lines is not hexadecimal")
        say("       give inputs found by the fuzzer, or lists of them in hexadecimal")
        return 2
      }
      for entry in file.entries {
        say("\(path):\(entry.line): \(entry.bytes.count) bytes")
        fuzzer.play(entry.bytes)
      }
      count += file.entries.count
    }
    say("\(count) inputs played, no finding")
    return 0
  }
}
