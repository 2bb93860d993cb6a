internal import Benchmarks
internal import CommandLineTool
internal import LinuxSystem

@main
struct Main {
  static func main() {
    let outcome = BenchCommand.run(Array(CommandLine.arguments.dropFirst()))
    let environment = Environment.variables
    // A reader that has seen enough is no failure.
    try? StandardStream.output(environment: environment)
      .write(outcome.output.map { $0 + "\n" }.joined())
    try? StandardStream.errors(environment: environment)
      .write(outcome.complaint.map { $0 + "\n" }.joined())
    ThisProcess.exit(outcome.status)
  }
}
