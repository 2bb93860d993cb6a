internal import Benchmarks
internal import CommandLineTool
internal import LinuxSystem

@main
struct Main {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--receive" {
      ThisProcess.exit(try await StoringReceiver.run(arguments.dropFirst()))
    }
    if arguments.first == "--export" {
      ThisProcess.exit(try MeasuredExport.run(arguments.dropFirst()))
    }
    if arguments.first == "--record" {
      ThisProcess.exit(try await StoringReceiver.record(arguments.dropFirst()))
    }
    let outcome =
      switch arguments.first {
      case "torture": Torture.run(arguments.dropFirst())
      case "truth": Truth.run(arguments.dropFirst())
      case "upload": UploadFigures.run(arguments.dropFirst())
      case "store": StoreFigures.run(arguments.dropFirst())
      default: BenchCommand.run(arguments)
      }
    let environment = Environment.variables
    // A reader that has seen enough is no failure.
    try? StandardStream.output(environment: environment)
      .write(outcome.output.map { $0 + "\n" }.joined())
    try? StandardStream.errors(environment: environment)
      .write(outcome.complaint.map { $0 + "\n" }.joined())
    ThisProcess.exit(outcome.status)
  }
}
