internal import BoardDriver
internal import HTTPServer
internal import LinuxSystem
internal import Positioning
internal import Recording
internal import Upload
internal import Values

/// One option of a command: its description and its effect on the command's configuration.
public struct Option<Configuration>: Sendable {
  /// What the help tells.
  public let description: OptionDescription
  /// Whether nothing behind it matters, as for `--help`.
  let endsParsing: Bool
  /// Applies the text after the option (empty for a flag); false when that text does not fit.
  let apply: @Sendable (inout Configuration, String) -> Bool

  private init(
    _ description: OptionDescription, endsParsing: Bool = false,
    apply: @escaping @Sendable (inout Configuration, String) -> Bool
  ) {
    self.description = description
    self.endsParsing = endsParsing
    self.apply = apply
  }
}

/// The kinds of options.
extension Option {
  /// A place in a configuration that an option sets.
  public typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

  /// An option without argument that sets `place` to `value`.
  public static func flag<Value: Sendable>(
    _ name: String, short: Character? = nil, excludes: [String] = [], help: String,
    sets place: Place<Value>, to value: Value, endsParsing: Bool = false
  ) -> Option {
    let description = OptionDescription(
      name: name, short: short, argument: nil, defaultValue: nil, environmentVariable: nil,
      excludes: excludes, help: help)
    return Option(description, endsParsing: endsParsing) { configuration, _ in
      configuration[keyPath: place] = value
      return true
    }
  }

  /// An option without argument that turns something on.
  public static func flag(_ name: String, help: String, sets place: Place<Bool>) -> Option {
    flag(name, help: help, sets: place, to: true)
  }

  /// An option with a whole number in `range`.
  public static func wholeNumber<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ metavariable: String, in range: ClosedRange<Value>, default initial: Value,
    help: String, sets place: Place<Value>
  ) -> Option {
    let kind = Argument.Kind.wholeNumber(
      from: UInt64(range.lowerBound), through: UInt64(range.upperBound))
    return taking(
      name, Argument(metavariable, kind), default: "\(initial)", help: help
    ) { configuration, text in
      guard let value = Value(text), range.contains(value) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// The same for a number that has no default.
  public static func wholeNumber<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ metavariable: String, in range: ClosedRange<Value>, help: String,
    sets place: Place<Value?>
  ) -> Option {
    let kind = Argument.Kind.wholeNumber(
      from: UInt64(range.lowerBound), through: UInt64(range.upperBound))
    return taking(name, Argument(metavariable, kind), default: nil, help: help) {
      configuration, text in
      guard let value = Value(text), range.contains(value) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// An option with a decimal number above `low` and up to `high`.
  public static func number(
    _ name: String, _ metavariable: String, above low: Double, upTo high: Double,
    default initial: Double, help: String, sets place: Place<Double>
  ) -> Option {
    taking(
      name, Argument(metavariable, .number(above: low, upTo: high)),
      default: NumberText.plain(initial), help: help
    ) { configuration, text in
      guard let value = decimal(text), value > low, value <= high else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// The same for a number that has no default.
  public static func number(
    _ name: String, _ metavariable: String, above low: Double, upTo high: Double, help: String,
    sets place: Place<Double?>
  ) -> Option {
    taking(
      name, Argument(metavariable, .number(above: low, upTo: high)), default: nil, help: help
    ) { configuration, text in
      guard let value = decimal(text), value > low, value <= high else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// `Double` also reads hexadecimal, `inf` and `nan`, which nobody types for a quantity.
  private static func decimal(_ text: String) -> Double? {
    text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) } ? Double(text) : nil
  }

  /// An option with one of a few words.
  public static func word<Value>(
    _ name: String, default initial: Value, help: String, sets place: Place<Value>
  ) -> Option
  where Value: RawRepresentable<String> & CaseIterable & Sendable {
    let words = Value.allCases.map(\.rawValue)
    return taking(
      name, Argument(words.joined(separator: "|"), .word(words)), default: initial.rawValue,
      help: help
    ) { configuration, text in
      guard let value = Value(rawValue: text) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// The same for many words, for which the help shows a metavariable.
  public static func word<Value>(
    _ name: String, _ metavariable: String, default initial: Value, help: String,
    sets place: Place<Value>
  ) -> Option
  where Value: RawRepresentable<String> & CaseIterable & Sendable {
    let words = Value.allCases.map(\.rawValue)
    return taking(
      name, Argument(metavariable, .word(words)), default: initial.rawValue, help: help
    ) { configuration, text in
      guard let value = Value(rawValue: text) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// An option with one of many words, for which the help shows a metavariable, and no default.
  public static func word<Value>(
    _ name: String, _ metavariable: String, help: String, sets place: Place<Value?>
  ) -> Option
  where Value: RawRepresentable<String> & CaseIterable & Sendable {
    let words = Value.allCases.map(\.rawValue)
    return taking(
      name, Argument(metavariable, .word(words)), default: nil, help: help
    ) { configuration, text in
      guard let value = Value(rawValue: text) else { return false }
      configuration[keyPath: place] = value
      return true
    }
  }

  /// An option with the path of a file or a folder, which may not be empty.
  public static func path(
    _ name: String, _ argument: Argument, default initial: String? = nil,
    environmentVariable: String? = nil, help: String, sets place: Place<String?>
  ) -> Option {
    taking(
      name, argument, default: initial, environmentVariable: environmentVariable, help: help
    ) { configuration, text in
      configuration[keyPath: place] = text
      return !text.isEmpty
    }
  }

  /// An option with what the wearers of simulated boards do.
  public static func wearer(_ name: String, sets place: Place<WearerRequest>) -> Option {
    taking(
      name, Argument("WEARER", .wearer), default: "walking",
      help: "what the boards go through: still, walking, running, falling (after 10 s) or the "
        + "path of a recorded motion"
    ) { configuration, text in
      guard let wearer = WearerRequest(text) else { return false }
      configuration[keyPath: place] = wearer
      return true
    }
  }

  /// An option with a signal to record, which may be given for each of several.
  static func sensors(
    _ name: String, help: String, adds place: Place<[SensorRequest]>
  ) -> Option {
    taking(
      name, Argument("SENSOR", .sensor), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      guard let request = SensorRequest(text: text),
        SensorChoice.signal(meantBy: request.signal) == nil
      else { return false }
      configuration[keyPath: place].append(request)
      return true
    }
  }

  /// An option with a board, which may be given for each of several.
  static func boards(
    _ name: String, excludes: [String] = [], help: String, adds place: Place<[String]>
  ) -> Option {
    taking(
      name, Argument("BOARD", .board), default: nil, excludes: excludes, isRepeatable: true,
      help: help
    ) { configuration, text in
      configuration[keyPath: place].append(text)
      return !text.isEmpty
    }
  }

  /// An option with the name of a recorded signal, which may be given for each of several.
  static func signals(_ name: String, help: String, adds place: Place<[String]>) -> Option {
    taking(
      name, Argument("SIGNAL", .signal), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      configuration[keyPath: place].append(text)
      return !text.isEmpty
    }
  }

  /// An option with an instant of a session.
  static func moment(_ name: String, help: String, sets place: Place<Moment?>) -> Option {
    taking(name, Argument("TIME", .moment), default: nil, help: help) { configuration, text in
      configuration[keyPath: place] = Moment(text)
      return configuration[keyPath: place] != nil
    }
  }

  /// An option with a day, which begins at midnight of universal time, or an instant of it.
  static func date(_ name: String, help: String, sets place: Place<UTCTime?>) -> Option {
    taking(name, Argument("DATE", .date), default: nil, help: help) { configuration, text in
      configuration[keyPath: place] =
        UTCTime(iso8601: text) ?? UTCTime(iso8601: text + "T00:00Z")
      return configuration[keyPath: place] != nil
    }
  }

  /// The option `--adapter ADDRESS`, for every command that uses the radio.
  static func adapters(adds place: Place<[BoardAddress]>) -> Option {
    taking(
      "adapter", Argument("ADDRESS", .adapter), default: nil, isRepeatable: true,
      help: "use this Bluetooth adapter; may be given for each of several "
        + "(default: all that are on)"
    ) { configuration, text in
      guard let address = BoardAddress(text) else { return false }
      configuration[keyPath: place].append(address)
      return true
    }
  }

  /// The option `--gps SOURCE`, for every command that streams.
  static func positions(help: String, sets place: Place<PositionSource?>) -> Option {
    taking("gps", Argument("SOURCE", .positions), default: nil, help: help) {
      configuration, text in
      configuration[keyPath: place] = PositionSource(text)
      return configuration[keyPath: place] != nil
    }
  }

  /// An option with an address of this computer and a port.
  static func listenAddress(
    _ name: String, default initial: ListenAddress, help: String,
    sets place: Place<ListenAddress>
  ) -> Option {
    taking(
      name, Argument("ADDRESS:PORT", .listenAddress), default: "\(initial)", help: help
    ) { configuration, text in
      guard let address = ListenAddress(text) else { return false }
      configuration[keyPath: place] = address
      return true
    }
  }

  /// An option with the speed of a serial port.
  static func speed(_ name: String, help: String, sets place: Place<SerialSpeed?>) -> Option {
    let words = SerialSpeed.allCases.map { "\($0.rawValue)" }
    return taking(name, Argument("BAUD", .word(words)), default: nil, help: help) {
      configuration, text in
      configuration[keyPath: place] = Int(text).flatMap(SerialSpeed.init)
      return configuration[keyPath: place] != nil
    }
  }

  /// An option with a name for a board.
  static func boardName(_ name: String, help: String, sets place: Place<String?>) -> Option {
    taking(name, Argument("NAME", .boardName), default: nil, help: help) { configuration, text in
      configuration[keyPath: place] = text
      return BoardName.isFit(text)
    }
  }

  /// An option with a text for a board of a session, which may be given for each of several.
  static func boardTexts(
    _ name: String, help: String, adds place: Place<[BoardText]>
  ) -> Option {
    taking(
      name, Argument("BOARD=TEXT", .boardText), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      guard let request = BoardText(text) else { return false }
      configuration[keyPath: place].append(request)
      return true
    }
  }

  /// The same with a name for it, which may be empty.
  static func boardNames(
    _ name: String, help: String, adds place: Place<[BoardText]>
  ) -> Option {
    taking(
      name, Argument("BOARD=NAME", .boardNaming), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      guard let request = BoardText(text), request.text.isEmpty || BoardName.isFit(request.text)
      else { return false }
      configuration[keyPath: place].append(request)
      return true
    }
  }

  /// An option with two boards of a session, which may be given for each of several pairs.
  static func boardPairs(
    _ name: String, help: String, adds place: Place<[BoardPair]>
  ) -> Option {
    taking(
      name, Argument("BOARD,BOARD", .boardPair), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      guard let pair = BoardPair(text) else { return false }
      configuration[keyPath: place].append(pair)
      return true
    }
  }

  /// An option with a text on one line, which may be empty.
  static func text(
    _ name: String, _ metavariable: String, help: String, sets place: Place<String?>
  ) -> Option {
    taking(name, Argument(metavariable, .text), default: nil, help: help) { configuration, text in
      configuration[keyPath: place] = text
      return LineOfText.isFit(text)
    }
  }

  /// The same for one that may not be empty and may not stand beside others.
  static func plainText(
    _ name: String, _ metavariable: String, excludes: [String] = [], help: String,
    sets place: Place<String?>
  ) -> Option {
    taking(
      name, Argument(metavariable, .text), default: nil, excludes: excludes, help: help
    ) { configuration, text in
      configuration[keyPath: place] = text
      return !text.isEmpty && LineOfText.isFit(text)
    }
  }

  /// An option with the address of an endpoint. A later check reports an unusable address without
  /// repeating it.
  static func endpoint(
    _ name: String, excludes: [String], help: String, sets place: Place<String?>
  ) -> Option {
    taking(
      name, Argument("URL", .endpoint), default: nil, excludes: excludes, help: help
    ) { configuration, text in
      configuration[keyPath: place] = text
      return true
    }
  }

  /// An option with hours of the day.
  static func hours(_ name: String, help: String, sets place: Place<UploadHours?>) -> Option {
    taking(name, Argument("HOURS", .hours), default: nil, help: help) { configuration, text in
      configuration[keyPath: place] = UploadHours(text)
      return configuration[keyPath: place] != nil
    }
  }

  /// An option with a destination.
  static func destination(_ name: String, help: String, sets place: Place<String?>) -> Option {
    taking(name, Argument("NAME", .destination), default: nil, help: help) { configuration, text in
      configuration[keyPath: place] = text
      return !text.isEmpty
    }
  }

  /// An option with a destination, which may be given for each of several.
  static func destinations(_ name: String, help: String, adds place: Place<[String]>) -> Option {
    taking(
      name, Argument("NAME", .destination), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      configuration[keyPath: place].append(text)
      return !text.isEmpty
    }
  }

  /// An option with a session, which may be given for each of several.
  static func sessions(_ name: String, help: String, adds place: Place<[String]>) -> Option {
    taking(
      name, Argument("SESSION", .session), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      configuration[keyPath: place].append(text)
      return !text.isEmpty
    }
  }

  /// An option with a hazard of a session, which may be given for each of several.
  static func hazards(
    _ name: String, help: String, adds place: Place<[HazardRequest]>
  ) -> Option {
    taking(
      name, Argument("HAZARD", .hazard), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      guard let hazard = HazardRequest(text) else { return false }
      configuration[keyPath: place].append(hazard)
      return true
    }
  }

  /// An option with a fault of a simulated board, which may be given for each of several.
  public static func faults(
    _ name: String, help: String, adds place: Place<[FaultRequest]>
  ) -> Option {
    taking(
      name, Argument("FAULT", .fault), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      guard let fault = FaultRequest(text) else { return false }
      configuration[keyPath: place].append(fault)
      return true
    }
  }

  /// An option with a fault of the simulated Bluetooth service, which may be given for each of
  /// several.
  public static func daemonFaults(
    _ name: String, help: String, adds place: Place<[DaemonFaultRequest]>
  ) -> Option {
    taking(
      name, Argument("FAULT", .daemonFault), default: nil, isRepeatable: true, help: help
    ) { configuration, text in
      guard let fault = DaemonFaultRequest(text) else { return false }
      configuration[keyPath: place].append(fault)
      return true
    }
  }

  private static func taking(
    _ name: String, _ argument: Argument, default initial: String?,
    environmentVariable: String? = nil, excludes: [String] = [], isRepeatable: Bool = false,
    help: String,
    apply: @escaping @Sendable (inout Configuration, String) -> Bool
  ) -> Option {
    let description = OptionDescription(
      name: name, short: nil, argument: argument, defaultValue: initial,
      environmentVariable: environmentVariable, excludes: excludes, isRepeatable: isRepeatable,
      help: help)
    return Option(description, apply: apply)
  }

  /// The same option for a larger configuration, which holds this one at `place`.
  func lifted<Whole>(
    into place: any WritableKeyPath<Whole, Configuration> & Sendable
  ) -> Option<Whole> {
    Option<Whole>(description, endsParsing: endsParsing) { [apply] whole, text in
      apply(&whole[keyPath: place], text)
    }
  }
}
