/// The options of `bench field`.
struct FieldOptions: Sendable {
  static let usage = """
    usage: bench field [--minutes N | --trips N] [--from N] [--days N] [--boards N] [--brief]
           bench field --short [--minutes N | --trips N] [--from N] [--brief]
           bench field --seed N [--short | [--days N] [--boards N]] [--trace | --brief]

    Runs a gateway through field trips in simulated time: the program's real code with simulated boards,
    radio, bluetoothd, receiver and disk, a clock that jumps, and faults drawn from a seed. After every
    recording it compares the store with the logs of the radio and the receiver.

    Without --seed it first runs the seeds that once broke an invariant, if trips have one day and
    one board. Fresh seeds follow, on all processors, until N minutes are over (default: 2) or N trips
    have begun. A trip that breaks an invariant is shortened as much as possible, and its events are
    printed. With --brief it ends at the first broken invariant, and prints one line with its name and
    the seed.

    options:
      --short       run trips of one recording of up to a minute, at any rate and in any layout, and
                    compare losses and times with the truth for every sample
      --seed N      run this trip only; the same seed gives the same trip, event by event
      --days N      number of whole days of each trip (default: 1)
      --boards N    number of boards (default: 1)
      --minutes N   run fresh trips for N minutes (default: 2)
      --trips N     run N fresh trips, however long they take
      --from N      first seed of the fresh trips, counting up (default: random)
      --trace       print everything that happens, as it happens
      --brief       print only the seed and the first broken invariant, and end
      --without N,N…  leave out the events of the trip with these numbers
      --help        show this help
    """

  /// The default time in minutes to run new trips.
  private static let usualMinutes = 2.0

  var seed: UInt64?
  var days = 1.0
  var boards = 1
  var isShort = false
  var minutes = usualMinutes
  /// The number of new trips; `nil` to use the time limit instead.
  var trips: Int?
  /// The first seed for new trips; `nil` for a random seed.
  var first: UInt64?
  var isTraced = false
  /// Whether to stop at the first broken invariant without printing the trip's events.
  var isBrief = false
  /// The numbers of the events to leave out of the trip.
  var without: Set<Int> = []
  /// Whether this process must run the trip itself instead of starting another process.
  var isTrip = false

  struct Problem: Error {
    var text: String
  }

  init(_ arguments: ArraySlice<String>) throws(Problem) {
    var rest = arguments
    var given: Set<String> = []
    while let option = rest.popFirst() {
      given.insert(option)
      switch option {
      case "--seed": seed = try Self.value(of: option, &rest) { UInt64($0) }
      case "--from": first = try Self.value(of: option, &rest) { UInt64($0) }
      case "--days":
        days = try Self.value(of: option, &rest) { text in
          Self.positive(text).flatMap { $0 == $0.rounded() ? $0 : nil }
        }
      case "--minutes": minutes = try Self.value(of: option, &rest, Self.positive)
      case "--trips":
        trips = try Self.value(of: option, &rest) { text in
          Int(text).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
        }
      case "--boards":
        boards = try Self.value(of: option, &rest) { text in
          Int(text).flatMap { (1...10).contains($0) ? $0 : nil }
        }
      case "--without": without = try Self.value(of: option, &rest, Self.numbers)
      case "--short": isShort = true
      case "--trace": isTraced = true
      case "--brief": isBrief = true
      case "--trip": isTrip = true
      default: throw Problem(text: "'\(option)' is not an option of field")
      }
    }
    guard seed != nil || (!isTraced && without.isEmpty && !isTrip) else {
      throw Problem(text: "specify the trip with --seed")
    }
    if isBrief, isTraced { throw Problem(text: "--brief and --trace cannot be combined") }
    if trips != nil, given.contains("--minutes") {
      throw Problem(text: "--minutes and --trips cannot be combined")
    }
    for option in ["--days", "--boards"] where isShort && given.contains(option) {
      throw Problem(
        text: "\(option) applies to trips that last days, but --short runs one recording")
    }
    guard let seed else { return }
    for option in ["--from", "--minutes", "--trips"] where given.contains(option) {
      throw Problem(text: "\(option) applies to fresh trips, but --seed specifies one trip")
    }
    let count = plan(seed).events.count
    if let number = without.sorted().first(where: { !(0..<count).contains($0) }) {
      throw Problem(
        text: "the trip has no event \(number): its events are numbered 0 to \(count - 1)")
    }
  }

  func plan(_ seed: UInt64) -> FieldPlan {
    isShort ? FieldPlan(short: seed) : FieldPlan(seed: seed, days: days, boards: boards)
  }

  /// The options that distinguish trips with the same seed.
  var kind: [String] {
    isShort ? ["--short"] : ["--days", "\(days)", "--boards", "\(boards)"]
  }

  /// Returns the arguments for a process that runs one trip.
  func trip(_ seed: UInt64, without: Set<Int>, isTraced: Bool) -> [String] {
    var arguments = ["field", "--trip", "--seed", "\(seed)"] + kind
    if !without.isEmpty {
      arguments += ["--without", without.sorted().map { "\($0)" }.joined(separator: ",")]
    }
    if isTraced { arguments.append("--trace") }
    if isBrief { arguments.append("--brief") }
    return arguments
  }

  private static func value<Value>(
    of option: String, _ rest: inout ArraySlice<String>, _ read: (String) -> Value?
  ) throws(Problem) -> Value {
    guard let text = rest.popFirst() else { throw Problem(text: "'\(option)' needs a value") }
    guard let value = read(text) else {
      throw Problem(text: "'\(option)' cannot be '\(text)'")
    }
    return value
  }

  private static func positive(_ text: String) -> Double? {
    Double(text).flatMap { $0 > 0 && $0 <= 10_000 ? $0 : nil }
  }

  private static func numbers(_ text: String) -> Set<Int>? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    return numbers.contains(nil) ? nil : Set(numbers.compactMap(\.self))
  }
}
