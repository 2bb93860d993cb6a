internal import LinuxSystem
internal import Values

/// `bench field`: simulates trips with a gateway, and checks the results against the simulated
/// world.
public enum FieldCommand {
  public struct Outcome: Sendable {
    /// Lines for standard output.
    public var output: [String] = []
    /// Lines for standard error.
    public var complaint: [String] = []
    /// 0 if every invariant held, 1 if one broke, 2 for invalid arguments, 3 if a trip could not
    /// run, 128 plus the signal's number after a signal.
    public var status: Int32 = 0
  }

  /// Runs the command with the arguments that follow `field`.
  public static func run(
    _ arguments: ArraySlice<String>, print: @escaping @Sendable (String) -> Void
  ) async -> Outcome {
    if arguments.contains("--help") { return Outcome(output: [FieldOptions.usage]) }
    do throws(FieldOptions.Problem) {
      let options = try FieldOptions(arguments)
      if options.isTrip, let seed = options.seed { return live(options, seed, print) }
      return await interruptible { await campaign(options, print) }
    } catch {
      return Outcome(
        complaint: ["error: \(error.text)", "       try 'bench field --help'"], status: 2)
    }
  }

  /// Runs trips in separate processes, with their files in one folder.
  private static func campaign(
    _ options: FieldOptions, _ print: @escaping @Sendable (String) -> Void
  ) async -> Outcome {
    do throws(FieldCampaign.Obstacle) {
      let campaign = try FieldCampaign(options, print: print)
      return Outcome(status: try await campaign.run() ? 0 : 1)
    } catch {
      return Outcome(
        complaint: ["error: \(error.text)", "       \(error.remedy)"], status: impossible)
    }
  }

  /// Runs `body` until it ends or a signal cancels it. Stops the trips' processes and removes their
  /// files before returning.
  private static func interruptible(_ body: @escaping @Sendable () async -> Outcome) async
    -> Outcome
  {
    let work = Task { await body() }
    let received = Guarded<Int32?>(nil)
    let watch = try? SignalWatch { number, _ in
      received.withLock { $0 = number }
      work.cancel()
    }
    let outcome = await work.value
    return withExtendedLifetime(watch) {
      received.withLock { $0 }.map { Outcome(status: 128 + $0) } ?? outcome
    }
  }

  private static func live(
    _ options: FieldOptions, _ seed: UInt64, _ print: @escaping @Sendable (String) -> Void
  ) -> Outcome {
    do {
      let plan = options.plan(seed)
      let trip = try FieldTrip(plan, without: options.without)
      trip.endsAtFirst = options.isBrief
      if options.isTraced { trip.onStory = { time, text in print("\(clock(time)) \(text)") } }
      trip.perform()
      var lines: [String] = []
      if !options.isTraced, !options.isBrief, !trip.violations.isEmpty {
        lines += trip.story.map { "\(clock($0.time)) \($0.text)" }
      }
      lines += trip.violations.map {
        "BROKEN \(clock($0.time)) \($0.invariant.rawValue): \($0.text)"
      }
      lines.append(
        "trip: seed \(seed), \(plan.events.count) events, \(trip.recordings) recordings, "
          + "\(trip.samples) samples, "
          + "\(trip.times.judged) judged times, \(trip.times.right) accurate times")
      return Outcome(output: lines, status: trip.violations.isEmpty ? 0 : 1)
    } catch {
      return Outcome(complaint: ["error: \(error)"], status: impossible)
    }
  }

  /// The exit status if a trip could not run.
  static let impossible: Int32 = 3

  /// Formats a time in a trip as `day 1 08:22:22.407`.
  static func clock(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1_000).rounded(.down))
    func digits(_ number: Int, _ count: Int) -> String {
      String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }
    let whole = milliseconds / 1_000
    return "day \(whole / 86_400 + 1) \(digits(whole / 3_600 % 24, 2)):"
      + "\(digits(whole / 60 % 60, 2)):\(digits(whole % 60, 2)).\(digits(milliseconds % 1_000, 3))"
  }
}
