internal import Benchmarks
internal import FieldSimulation
internal import LinuxSystem
internal import Terminal

@main
struct Main {
  static func main() {
    let arguments = ThisProcess.arguments
    // Only these commands handle signals.
    if ["field", "fleet", "live", "soak"].contains(arguments.first) {
      SignalWatch.prepareProcess()
    }
    ThisProcess.run { await run(arguments) }
  }

  private static func run(_ arguments: [String]) async -> Int32 {
    let rest = arguments.dropFirst()
    let outcome =
      switch arguments.first {
      case "--receive": await BenchCommand.Outcome(of: { try await StoringReceiver.run(rest) })
      case "--export": await BenchCommand.Outcome(of: { try MeasuredExport.run(rest) })
      case "--record": await BenchCommand.Outcome(of: { try await StoringReceiver.record(rest) })
      case "field": await field(rest)
      case "fleet": await FleetBench.run(rest)
      case "live": await LiveBench.run(rest)
      case "soak": await soak(rest)
      case "torture": Torture.run(rest)
      case "truth": Truth.run(rest)
      case "clean": CleanStreams.run(rest)
      case "upload": UploadFigures.run(rest)
      case "store": StoreFigures.run(rest)
      case "envelope": EnvelopeFigures.run(rest)
      default: BenchCommand.run(arguments)
      }
    let environment = Environment.variables
    // It is not a failure if the reader of the output closes it early.
    try? StandardStream.output(environment: environment)
      .write(outcome.output.map { $0 + "\n" }.joined())
    try? StandardStream.errors(environment: environment)
      .write(outcome.complaint.map { $0 + "\n" }.joined())
    return outcome.status
  }

  /// Runs a soak. Prints each line immediately, because a soak runs for an hour.
  private static func soak(_ arguments: ArraySlice<String>) async -> BenchCommand.Outcome {
    let output = StandardStream.output(environment: Environment.variables)
    return await SoakCommand.run(arguments) { line in
      // A caller that closes the output early still needs the exit status.
      try? output.write(line + "\n")
    }
  }

  /// Simulates trips. Prints each line of a long run immediately and removes all files on Ctrl-C.
  private static func field(_ arguments: ArraySlice<String>) async -> BenchCommand.Outcome {
    let output = StandardStream.output(environment: Environment.variables)
    let failure = Guarded<(any Error)?>(nil)
    let outcome = await FieldCommand.run(arguments) { line in
      do { try output.write(line + "\n") } catch { failure.withLock { $0 = error } }
    }
    // The reader may close the output early, but a result that cannot be written is a failure.
    if outcome.status == 0, let failure = failure.withLock({ $0 }),
      (failure as? OutputError) != .closed
    {
      return BenchCommand.Outcome(complaint: ["error: \(failure)"], status: 1)
    }
    return BenchCommand.Outcome(
      output: outcome.output, complaint: outcome.complaint, status: outcome.status)
  }
}
