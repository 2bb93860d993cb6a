internal import Benchmarks
internal import CommandLineTool
internal import LinuxSystem

@main
struct Main {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let rest = arguments.dropFirst()
    let outcome =
      switch arguments.first {
      case "--receive": await BenchCommand.Outcome(of: { try await StoringReceiver.run(rest) })
      case "--export": await BenchCommand.Outcome(of: { try MeasuredExport.run(rest) })
      case "--record": await BenchCommand.Outcome(of: { try await StoringReceiver.record(rest) })
      case "torture": Torture.run(rest)
      case "truth": Truth.run(rest)
      case "clean": CleanStreams.run(rest)
      case "upload": UploadFigures.run(rest)
      case "store": StoreFigures.run(rest)
      default: BenchCommand.run(arguments)
      }
    let environment = Environment.variables
    // A reader that closes early is not a failure.
    try? StandardStream.output(environment: environment)
      .write(outcome.output.map { $0 + "\n" }.joined())
    try? StandardStream.errors(environment: environment)
      .write(outcome.complaint.map { $0 + "\n" }.joined())
    ThisProcess.exit(outcome.status)
  }
}
