/// The options of `bench fleet`.
struct FleetOptions: Sendable {
  static let usage = """
    usage: bench fleet [--cluster] [--seconds N] [--gateways N] [--receivers N] [--rate N]
                       [--kill | --kills N] [--seed N] [--json]
           bench fleet --rows [--cluster] [--json]

    Starts a PostgreSQL server and receivers on this computer, and sends them chunks of 2,000 samples with
    the tokens of many gateways. One request in ten is sent twice, half of these to two receivers at the
    same moment. One in fifty sends different bytes under an existing id.

    With --cluster there are three servers, and each commit must reach a second server. haproxy runs in
    front of three receivers. Each gateway has its own connection and its own schedule. --kills then
    spreads faults over the run: receivers, the primary and standbys are killed, a standby is promoted,
    the proxy is killed while it sends responses, a receiver is added, and the primary's disk fills up.
    The last fault needs root, for a separate disk.

    At the end it reads each acknowledged chunk back from the receivers, and counts the rows on each server.
    The exit status is 1 if a chunk is missing, altered or duplicated, if a conflict was not reported, or
    if a gateway got a response that would make it park data.

    It needs a PostgreSQL server, haproxy for --cluster (bash .ci/setup --servers), and 30 kB in TMPDIR
    for each chunk and server. All programs that it starts end with it, even after Ctrl-C.

    options:
      --cluster       run three servers that wait for each other, and a proxy
      --seconds N     send for N seconds, at most 3600 (default: 30); longer if faults remain
      --gateways N    number of gateways, each with its own token and session (default: 5000)
      --receivers N   number of receivers, at most 16 (default: 2, with --cluster 3)
      --rate N        chunks per second from all gateways (default: as fast as possible, with --cluster 600)
      --kill          kill a process every three seconds with SIGKILL
      --kills N       kill N times
      --seed N        seed for the faults and the requests (default: random)
      --rows          compare with writing the same chunks as one row per sample
      --json          print the outcome as JSON
      --help          show this help
    """

  struct Problem: Error {
    let text: String
  }

  var seconds = 30
  var gateways = 5_000
  var receivers = 2
  var rate: Int?
  var kills = 0
  var seed = UInt64.random(in: 1..<1_000_000)
  var isCluster = false
  var isRows = false
  var isJSON = false
  /// The folder for the first server's data, on a disk that the bench may fill.
  var disk: String?
  /// Whether the bench has already tried to create a disk that it is allowed to fill.
  var hasTriedDisk = false

  /// Parses the arguments that follow `fleet`.
  init(_ arguments: ArraySlice<String>) throws(Problem) {
    var rest = arguments
    var receivers: Int?
    var kills: Int?
    while let option = rest.popFirst() {
      switch option {
      case "--cluster": isCluster = true
      case "--rows": isRows = true
      case "--kill": kills = 0
      case "--json": isJSON = true
      case "--seconds": seconds = try Self.number(option, &rest, atMost: 3_600)
      case "--gateways": gateways = try Self.number(option, &rest, atMost: 100_000)
      case "--receivers": receivers = try Self.number(option, &rest, atMost: 16)
      case "--rate": rate = try Self.number(option, &rest, atMost: 1_000_000)
      case "--kills": kills = try Self.number(option, &rest, atMost: 1_000)
      case "--seed": seed = UInt64(try Self.number(option, &rest, atMost: .max))
      // Internal: the bench passes this option to itself.
      case "--disk":
        hasTriedDisk = true
        disk = rest.popFirst().flatMap { $0.isEmpty ? nil : $0 }
      default: throw Problem(text: "unknown option '\(option)'")
      }
    }
    self.receivers = receivers ?? (isCluster ? 3 : 2)
    if rate != nil, !isCluster { throw Problem(text: "'--rate' needs '--cluster'") }
    if isCluster, rate == nil { rate = 600 }
    if let kills { self.kills = kills > 0 ? kills : max(2, seconds / 3) }
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
