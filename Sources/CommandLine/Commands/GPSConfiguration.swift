public import LinuxSystem
public import Positioning
public import Values

/// What `footbridge gps` was asked to do.
public struct GPSConfiguration: Hashable, Sendable {
  /// Where positions come from; `nil` for the only source there is.
  public var source: PositionSource?
  /// The speed of a serial port; `nil` to look for it.
  public var speed: SerialSpeed?
  /// Dates in a file before it are taken for a wrapped week; `nil` to leave them as they are.
  public var floor: UTCTime?
  /// Length of the view; `nil` until it is interrupted.
  public var seconds: Double?
  /// Whether fixes and states are JSON instead of text.
  public var reportsJSON = false
  /// The store beside which the speeds of receivers are kept.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<GPSConfiguration>] = [
    .speed(
      "speed", help: "speed of the serial port (default: it is looked for)", sets: \.speed),
    .date(
      "not-before",
      help: "take dates in a file before this one for a wrapped week, and add 1,024 weeks until "
        + "they are not", sets: \.floor),
    .number(
      "seconds", "N", above: 0, upTo: 31_536_000,
      help: "stop after so many seconds instead of at Ctrl-C", sets: \.seconds),
    .flag(
      "json", help: "print each fix and each change of the state as a JSON object on a line",
      sets: \.reportsJSON),
  ]

  static func command(body: @escaping Commands.Body<GPSConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "gps", summary: "show what a GPS receiver says",
        discussion: """
          Shows state and position, satellites with the strength of their signals, speed, error, \
          and what became of the sentences; where standard output is no terminal, prints a line \
          for each fix and each change of the state. Nothing is sent to the receiver.

          SOURCE is a serial port such as /dev/gps0, gpsd, gpsd://HOST[:PORT][/DEVICE], \
          file:PATH of a file of sentences, or fixed:LATITUDE,LONGITUDE[,ALTITUDE]. Without it, \
          the only receiver or gpsd that is found is used.

          Example: footbridge gps /dev/ttyUSB0 --speed 9600
          """,
        initial: { GPSConfiguration(store: StoreLocation(environment: $0)) },
        options: options, operands: [.positions(sets: \.source)], body: body))
  }
}
