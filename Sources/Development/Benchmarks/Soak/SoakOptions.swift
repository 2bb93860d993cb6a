/// The options of `bench soak`.
struct SoakOptions: Sendable {
  static let usage = """
    usage: bench soak [--minutes N] [--every SECONDS] [--disk FOLDER]

    Runs 'footbridge run' with simulated boards, a receiver and a destination on this computer, in real
    time, and injects a fault at intervals (--every). It calls 'footbridge status' each second. For each
    fault it prints the times until it was reported and until everything worked again. At the end it
    compares the samples sent with the samples stored and lost, and the gateway's memory and descriptors
    with the initial values.

    The exit status is 1 if the status does not report a fault with a remedy within ten seconds. For a
    lost destination the limit is twenty seconds, because it is noticed only when a chunk is ready. The
    exit status is also 1 if nothing is recorded for more than a minute, if the gateway does not recover
    on its own within a minute after a fault, if a sample is neither stored nor counted, or if memory or
    descriptors grow.

    When run as root, it fills a small private disk; other users specify one with --disk. Clock changes
    are not among the faults, since they would affect this computer: 'bench field' sets the clock of a
    simulated computer.

    options:
      --minutes N     run for N minutes (default: 60)
      --every SECONDS inject a fault every SECONDS seconds, at least 20 (default: 120)
      --disk FOLDER   a folder on a small separate disk, which the soak fills up
      --help          show this help
    """

  struct Problem: Error {
    let text: String
  }

  var minutes = 60.0
  var every = 120.0
  var disk: String?

  init() {}

  /// Parses the arguments that follow `soak`.
  init(_ arguments: ArraySlice<String>) throws(Problem) {
    var rest = arguments
    while let option = rest.popFirst() {
      guard ["--minutes", "--every", "--disk"].contains(option) else {
        throw Problem(text: "unknown option '\(option)'")
      }
      guard let value = rest.popFirst() else { throw Problem(text: "'\(option)' needs a value") }
      let number = Double(value)
      switch (option, number) {
      case ("--disk", _): disk = value
      case ("--minutes", let number?) where (0.5...10_000).contains(number): minutes = number
      case ("--every", let number?) where (20...3_600).contains(number): every = number
      default: throw Problem(text: "'\(option)' cannot be '\(value)'")
      }
    }
  }
}
