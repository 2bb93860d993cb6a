/// The options of `bench soak`.
struct SoakOptions: Sendable {
  static let usage = """
    usage: bench soak [--minutes N] [--every SECONDS] [--disk FOLDER]

    Runs 'footbridge run' with simulated boards, a receiver and a destination on this computer, in real
    time, with a fault every few seconds (--every). It calls 'footbridge status' each second, and prints
    for each fault when it was reported and when everything worked again. At the end it compares the
    samples at both ends, and the gateway's memory and descriptors with those at the start.

    It ends with 1 if the status does not report a fault with a remedy within ten seconds (a lost
    destination within twenty, since it is missed only when a chunk is ready). It also ends with 1 if
    nothing is recorded for more than a minute, if something does not recover by itself within a minute
    after the fault, if a sample is neither stored nor counted, or if memory or descriptors grow.

    Root gets a small disk that no other program sees, to be filled; other users name one with --disk.
    Setting the clock is not among the faults, since it would change this computer's clock:
    'bench field' sets the clock of a simulated computer.

    options:
      --minutes N     run for N minutes (default: 60)
      --every SECONDS seconds from one fault to the next, at least 20 (default: 120)
      --disk FOLDER   a folder on a small separate disk, which the soak fills up
      --help          show this
    """

  struct Problem: Error {
    let text: String
  }

  var minutes = 60.0
  var every = 120.0
  var disk: String?

  init() {}

  /// Reads the arguments after `soak`.
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
