internal import Glibc
internal import LinuxSystem
internal import Values

/// Runs many trips, each in its own process. A crashed trip does not end the others, and the memory
/// of killed programs is freed with the process.
struct FieldCampaign: Sendable {
  /// The result of one trip's process.
  struct Finding: Sendable {
    var seed: UInt64
    var lines: [String]
    var status: Int32

    var hasBroken: Bool { status != 0 }
    /// Whether the trip could not run, because there was no space or its process could not start.
    var isImpossible: Bool { status == FieldCommand.impossible }
    /// The seed, followed by the broken invariant or, after a crash, by the last output line.
    var summary: String {
      "seed \(seed): \(invariant.isEmpty ? lines.last ?? "no output" : invariant)"
    }
    /// The first broken invariant's name; empty after a crash.
    var invariant: String {
      lines.first { $0.hasPrefix("BROKEN ") }?.split(separator: " ").dropFirst(4)
        .joined(separator: " ").split(separator: ":").first.map(String.init) ?? ""
    }
    /// Returns the number of recordings, samples or times that the trip reported; 0 if the trip did
    /// not end. `word` is the word after the number in the line that `FieldCommand` prints.
    func number(before word: String) -> Int {
      guard let line = lines.last(where: { $0.hasPrefix("trip: ") }) else { return 0 }
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(where: { $0.hasPrefix(word) }), place > 0,
        let number = Int(words[place - 1])
      else { preconditionFailure("a trip's line does not contain the number of \(word): \(line)") }
      return number
    }
  }

  /// The reason why trips cannot run on this computer.
  struct Obstacle: Error {
    var text: String
    var remedy: String
  }

  private struct Sum {
    var trips = 0
    var recordings = 0
    var samples = 0
    var judgedTimes = 0
    var rightTimes = 0
    var broken: [Finding] = []
    var obstacle: Obstacle?

    var isOver: Bool { !broken.isEmpty || obstacle != nil }
  }

  /// The time limit in seconds for removing unneeded events from a failed trip.
  private static let shrinkSeconds = 180.0
  /// In a run of many trips, the number of seconds after which a trip is considered hung. A trip
  /// requested by its seed has no time limit, because the machine may be busy.
  private static let patience = 300.0

  private static let wellText = "every invariant held"

  /// Disk space in bytes to provide for one trip. It must be enough for two copies of the trip's
  /// and its killed programs' files.
  private static let roomOfTrip: UInt64 = 128 << 20

  let options: FieldOptions
  let print: @Sendable (String) -> Void
  /// The folder for all trips' files. A killed trip's files are removed with this folder.
  private let folder: TemporaryFolder

  init(
    _ options: FieldOptions, print: @escaping @Sendable (String) -> Void
  ) throws(Obstacle) {
    self.options = options
    self.print = print
    do throws(SystemError) {
      folder = try TemporaryFolder(prefix: "footbridge-field")
    } catch {
      throw Obstacle(text: "\(error)", remedy: Self.remedy)
    }
    try checkRoom(trips: options.seed == nil ? Processors.allowed.count : 1)
  }

  private static let remedy =
    "set TMPDIR to a folder with \(roomOfTrip >> 20) MB of space for each processor"

  /// Throws if there is too little disk space for the trips, because a full disk would be enough to
  /// break invariants.
  private func checkRoom(trips: Int) throws(Obstacle) {
    guard let room = try? FileSystem.room(at: folder.path),
      room < Self.roomOfTrip * UInt64(trips)
    else { return }
    throw Obstacle(
      text: "there is only \(room >> 20) MB of space in \(Folder.containing(folder.path))",
      remedy: Self.remedy)
  }

  /// Runs the trips. Returns `true` if every invariant held.
  func run() async throws(Obstacle) -> Bool {
    if let seed = options.seed {
      let finding = await live(seed, without: options.without, isTraced: options.isTraced)
      if let obstacle = obstacle(to: finding) { throw obstacle }
      guard !options.isBrief else {
        print(finding.hasBroken ? finding.summary : Self.wellText)
        return !finding.hasBroken
      }
      finding.lines.forEach(print)
      if finding.hasBroken, !options.isTraced, options.without.isEmpty { await explain(finding) }
      return !finding.hasBroken
    }
    return try await runFresh()
  }

  /// Returns the obstacle that prevented a trip from running properly; `nil` if nothing did, even
  /// if an invariant broke.
  private func obstacle(to finding: Finding) -> Obstacle? {
    guard finding.hasBroken, !Task.isCancelled else { return nil }
    if finding.isImpossible {
      return Obstacle(
        text: finding.lines.last.map { $0.replacing("error: ", by: "") } ?? "a trip cannot start",
        remedy: Self.remedy)
    }
    do throws(Obstacle) { try checkRoom(trips: 1) } catch { return error }
    return nil
  }

  /// Runs the known seeds first. Then runs trips with new seeds until the time limit or the number
  /// of trips is reached.
  private func runFresh() async throws(Obstacle) -> Bool {
    let first = options.first ?? .random(in: 1..<1_000_000_000)
    let known = options.days == 1 && options.boards == 1 && !options.isShort ? KnownSeeds.all : []
    if !options.isBrief {
      print(
        "\(known.count) known seeds, then fresh ones from \(first): "
          + "\(options.isShort ? "one recording" : "\(Int(options.days)) days") a trip, "
          + "\(options.boards) boards")
    }
    let start = BootClock.now()
    let next = Guarded(0)
    let sum = Guarded(Sum())
    await withTaskGroup { group in
      for _ in Processors.allowed {
        group.addTask {
          while true {
            let number = next.withLock { number in
              defer { number += 1 }
              return number
            }
            let isOver =
              hasEnough(fresh: number - known.count, since: start) || sum.withLock { $0.isOver }
            guard !Task.isCancelled, number < known.count || !isOver else { return }
            let seed =
              number < known.count ? known[number] : first &+ UInt64(number - known.count)
            let finding = await live(seed)
            // If the campaign is ending, the result of this trip is not needed.
            if Task.isCancelled { return }
            if let obstacle = obstacle(to: finding) {
              return sum.withLock { $0.obstacle = obstacle }
            }
            if finding.hasBroken, !options.isBrief {
              print("seed \(seed) broke an invariant")
              finding.lines.filter { !$0.hasPrefix("day ") }.forEach(print)
            }
            sum.withLock { sum in
              sum.trips += 1
              sum.recordings += finding.number(before: "recordings")
              sum.samples += finding.number(before: "samples")
              sum.judgedTimes += finding.number(before: "judged")
              sum.rightTimes += finding.number(before: "accurate")
              if finding.hasBroken { sum.broken.append(finding) }
            }
            if finding.hasBroken, options.isBrief { return }
          }
        }
      }
      // A task ends when it has found a failure, or when no trips are left.
      await group.next()
      let isBroken = sum.withLock { !$0.broken.isEmpty }
      if options.isBrief && isBroken || sum.withLock({ $0.obstacle != nil }) { group.cancelAll() }
    }
    if let obstacle = sum.withLock({ $0.obstacle }) { throw obstacle }
    let seconds = BootClock.now().seconds(since: start)
    let total = sum.withLock { $0 }
    guard !options.isBrief else {
      print(total.broken.first?.summary ?? Self.wellText)
      return total.broken.isEmpty
    }
    guard !options.isShort else {
      let share = 100 * Double(total.rightTimes) / Double(max(total.judgedTimes, 1))
      print(
        "\(total.trips) short recordings, \(total.samples) samples in \(Int(seconds)) s; "
          + "\((100 * share).rounded() / 100) % of \(total.judgedTimes) times are accurate to 1 ms")
      return await conclude(total)
    }
    let days = Double(total.trips) * options.days
    print(
      "\(min(total.trips, known.count)) known and \(max(0, total.trips - known.count)) fresh trips, "
        + "\(Int(days)) days, \(total.recordings) recordings, \(total.samples) samples "
        + "in \(Int(seconds)) s: \((days / seconds * 600).rounded()) days in ten minutes")
    return await conclude(total)
  }

  /// Prints the events and the result of the first trip that broke an invariant.
  private func conclude(_ total: Sum) async -> Bool {
    guard !Task.isCancelled else {
      print("interrupted")
      return total.broken.isEmpty
    }
    for finding in total.broken.prefix(1) { await explain(finding) }
    print(
      total.broken.isEmpty
        ? Self.wellText
        : "broken: " + total.broken.map { "--seed \($0.seed)" }.joined(separator: ", "))
    return total.broken.isEmpty
  }

  /// Whether `trips` new trips are enough, given the time since `start`.
  private func hasEnough(fresh trips: Int, since start: BootTime) -> Bool {
    if let wanted = options.trips { return trips >= wanted }
    return BootClock.now().seconds(since: start) > options.minutes * 60
  }

  // MARK: One trip

  /// Runs one trip in a separate process.
  private func live(
    _ seed: UInt64, without: Set<Int> = [], isTraced: Bool = false
  ) async -> Finding {
    do {
      let output = try ChildOutput()
      let child = try ChildProcess(
        ThisProcess.program,
        options.trip(seed, without: without, isTraced: isTraced),
        // Makes the iteration order of sets and dictionaries the same in every process.
        environment: ["SWIFT_DETERMINISTIC_HASHING": "1", "TMPDIR": folder.path],
        inheriting: [(output.writing.number, 1), (output.writing.number, 2)])
      let reader = output.closeWriting()
      let limit = Task { [isAlone = options.seed != nil] in
        guard !isAlone else { return }
        try await Pause.seconds(Self.patience)
        child.kill()
      }
      async let ending = withTaskCancellationHandler {
        await child.end()
      } onCancel: {
        // Do not wait for the process here, because the task that is waiting for it is being
        // cancelled.
        child.signal(SIGKILL)
      }
      let text = try await reader.all()
      let status = await ending
      limit.cancel()
      var lines = text.split(separator: "\n").map(String.init)
      if status > 1 { lines.append("the trip exited with status \(status)") }
      return Finding(seed: seed, lines: lines, status: status)
    } catch {
      return Finding(seed: seed, lines: ["error: \(error)"], status: FieldCommand.impossible)
    }
  }

  // MARK: Reporting a failure

  /// Shrinks a failed trip as much as possible, and prints its remaining events and its result.
  private func explain(_ finding: Finding) async {
    let (without, shortest) = await shrink(finding)
    print("")
    print("seed \(finding.seed): the shortest trip that breaks '\(finding.invariant)'")
    shortest.lines.forEach(print)
    var command = "bench field --seed \(finding.seed)"
    if options.isShort { command += " --short" }
    if options.days != 1 { command += " --days \(options.days)" }
    if options.boards != 1 { command += " --boards \(options.boards)" }
    if !without.isEmpty {
      command += " --without " + without.sorted().map { "\($0)" }.joined(separator: ",")
    }
    print("replay it: \(command) --trace")
  }

  /// Removes events as long as the same invariant still breaks: first large groups, then single
  /// events. A fault and its end are removed together.
  private func shrink(_ finding: Finding) async -> (without: Set<Int>, Finding) {
    let start = BootClock.now()
    var without = options.without
    var shortest = finding
    var kept = options.plan(finding.seed).occasions
    var size = (kept.count + 1) / 2
    while size > 0 {
      var place = 0
      while place < kept.count {
        guard !Task.isCancelled, BootClock.now().seconds(since: start) < Self.shrinkSeconds else {
          return (without, shortest)
        }
        let part = kept[place..<min(kept.count, place + size)]
        let attempt = await live(finding.seed, without: without.union(part.joined()))
        if attempt.hasBroken, attempt.invariant == finding.invariant {
          without.formUnion(part.joined())
          kept.removeSubrange(part.indices)
          shortest = attempt
        } else {
          place += size
        }
      }
      size = size == 1 ? 0 : (size + 1) / 2
    }
    return (without, shortest)
  }
}
