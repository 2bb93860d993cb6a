internal import Conformance
internal import LinuxSystem

@main
struct Main {
  static func main() {
    let outcome = ConformanceCommand.run(Array(CommandLine.arguments.dropFirst()))
    for line in outcome.output { print(line) }
    for line in outcome.complaint { StandardError.write(line) }
    ThisProcess.exit(outcome.status)
  }
}

/// Writes errors to standard error, so that standard output contains only results.
enum StandardError {
  static func write(_ line: String) {
    let descriptor = OwnedDescriptor(owning: 2)
    _ = descriptor.write(Array("\(line)\n".utf8))
    _ = descriptor.release()
  }
}
