/// The options of `bench fleet`.
struct FleetOptions: Sendable {
  static let usage = """
    usage: bench fleet [--seconds N] [--gateways N] [--receivers N] [--kill] [--json]

    Starts a PostgreSQL server and receivers on this computer, and sends them chunks of 2,000 samples
    as fast as they take them, with the tokens of many gateways. One request in ten is sent twice, half of
    them to two receivers at the same moment. One in fifty brings other bytes under an id that is taken.

    At the end it reads the database by PostgreSQL's own client. It ends with 1 if an acknowledged chunk
    is missing or has other bytes, if a chunk is there twice, or if a conflict was not reported.

    It needs PostgreSQL's server (Debian package postgresql), and 30 kB of TMPDIR for each chunk.
    Everything that it starts ends with it, also at Ctrl-C.

    options:
      --seconds N     how long to send, at most 3600 (default: 30)
      --gateways N    gateways, each with a token and a session of its own (default: 5000)
      --receivers N   receivers, at most 16 (default: 2)
      --kill          kill a receiver every three seconds, and the database once, by SIGKILL
      --json          print the outcome as JSON
      --help          show this
    """

  /// A mistake in the call.
  struct Problem: Error {
    let text: String
  }

  var seconds = 30
  var gateways = 5_000
  var receivers = 2
  var kills = false
  var isJSON = false

  /// Reads the arguments after `fleet`.
  init(_ arguments: ArraySlice<String>) throws(Problem) {
    var rest = arguments
    while let option = rest.popFirst() {
      switch option {
      case "--kill": kills = true
      case "--json": isJSON = true
      case "--seconds": seconds = try Self.number(option, &rest, atMost: 3_600)
      case "--gateways": gateways = try Self.number(option, &rest, atMost: 100_000)
      case "--receivers": receivers = try Self.number(option, &rest, atMost: 16)
      default: throw Problem(text: "unknown option '\(option)'")
      }
    }
  }

  private static func number(
    _ option: String, _ rest: inout ArraySlice<String>, atMost limit: Int
  ) throws(Problem) -> Int {
    guard let value = rest.popFirst() else { throw Problem(text: "'\(option)' needs a value") }
    guard let number = Int(value), (1...limit).contains(number) else {
      throw Problem(text: "'\(option)' cannot be '\(value)': give a number from 1 to \(limit)")
    }
    return number
  }
}
