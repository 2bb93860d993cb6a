internal import LinuxSystem

/// A fuzzer's executable in an ordinary build: it plays the given files.
public struct ReplayCommand: Sendable {
  /// The fuzzer that plays them.
  public let fuzzer: Fuzzer

  /// Replays for a fuzzer.
  public init(_ fuzzer: Fuzzer) { self.fuzzer = fuzzer }

  /// The usage text.
  public var usage: String {
    """
    usage: fuzz-\(fuzzer.rawValue) FILE...
           a FILE is an input that was found, or a list of inputs whose name ends in .hex
    """
  }

  /// Plays the files on the command line and ends the process. Each line is written at once,
  /// because a finding ends the process.
  public func main() {
    let output = OwnedDescriptor(owning: 1)
    let status = run(Array(CommandLine.arguments.dropFirst())) {
      _ = output.write(Array("\($0)\n".utf8))
    }
    _ = output.release()
    ThisProcess.exit(status)
  }

  /// Plays every file and announces each input before it begins, because a finding ends the
  /// process. The exit status is 0, or 2 if a file cannot be read.
  public func run(_ paths: [String], say: (String) -> Void) -> Int32 {
    if paths.isEmpty || paths == ["--help"] {
      say(usage)
      return paths.isEmpty ? 2 : 0
    }
    var count = 0
    for path in paths {
      guard let file = CorpusFile(path: path) else {
        say("error: cannot read \(path): it is missing, or a line of it is no hexadecimal")
        say("       give inputs that were found, or lists of them in hexadecimal")
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
