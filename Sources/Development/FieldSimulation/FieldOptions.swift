/// The options of `bench field`.
struct FieldOptions: Sendable {
  static let usage = """
    usage: bench field [--minutes N | --trips N] [--from N] [--days N] [--boards N] [--brief]
           bench field --short [--minutes N | --trips N] [--from N] [--brief]
           bench field --seed N [--short | [--days N] [--boards N]] [--trace | --brief]

    Runs a gateway through field trips in simulated time: the program's own code with simulated boards,
    radio, bluetoothd, receiver and disk, a clock that jumps, and faults drawn from a seed. After every
    recording it compares the store with the logs of radio and receiver.

    Without --seed it first runs the seeds that once broke an invariant, if trips have one day and
    one board. Fresh seeds follow, on all processors, until N minutes are over (default: 2) or N trips
    have begun. A trip that breaks an invariant is made as short as possible and printed as a story.
    With --brief everything ends at the first broken invariant, and one line names it and the seed.

    options:
      --short       each trip is one recording of up to a minute, at any rate and in any layout, whose
                    losses and times are compared with the truth to the sample
      --seed N      run this trip only; the same seed gives the same trip, event by event
      --days N      whole days of each trip (default: 1)
      --boards N    number of boards (default: 1)
      --minutes N   run fresh trips for N minutes (default: 2)
      --trips N     run N fresh trips, however long they take
      --from N      first seed of the fresh trips, counting up (default: random)
      --trace       print everything that happens, as it happens
      --brief       print only the seed and the first broken invariant, and end there
      --without N,N…  leave out the events of the trip with these numbers
      --help        show this
    """

  /// Minutes of fresh trips, unless their number is given.
  private static let usualMinutes = 2.0

  var seed: UInt64?
  var days = 1.0
  var boards = 1
  var isShort = false
  var minutes = usualMinutes
  /// The number of fresh trips; `nil` for as many as the minutes allow.
  var trips: Int?
  /// The first seed of fresh trips; `nil` for any.
  var first: UInt64?
  var isTraced = false
  /// Whether everything ends with the first invariant that breaks, without a story.
  var isBrief = false
  /// Numbers of events that are left out.
  var without: Set<Int> = []
  /// Whether this process must run the trip itself.
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
      throw Problem(text: "name the trip with --seed")
    }
    if isBrief, isTraced { throw Problem(text: "--brief and --trace exclude each other") }
    if trips != nil, given.contains("--minutes") {
      throw Problem(text: "--minutes and --trips exclude each other")
    }
    for option in ["--days", "--boards"] where isShort && given.contains(option) {
      throw Problem(text: "\(option) is for trips of days, and --short for one recording")
    }
    guard let seed else { return }
    for option in ["--from", "--minutes", "--trips"] where given.contains(option) {
      throw Problem(text: "\(option) is for fresh trips, and --seed names one")
    }
    let count = plan(seed).events.count
    if let number = without.sorted().first(where: { !(0..<count).contains($0) }) {
      throw Problem(text: "the trip has no event \(number): they are 0 to \(count - 1)")
    }
  }

  func plan(_ seed: UInt64) -> FieldPlan {
    isShort ? FieldPlan(short: seed) : FieldPlan(seed: seed, days: days, boards: boards)
  }

  /// The options that tell trips of one seed from each other.
  var kind: [String] {
    isShort ? ["--short"] : ["--days", "\(days)", "--boards", "\(boards)"]
  }

  /// The arguments for a process that lives through one trip.
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
