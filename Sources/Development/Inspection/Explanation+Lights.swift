internal import MetaWearProtocol

extension LED: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .playback(.pause): return Statement("pauses the patterns")
    case .playback(.play): return Statement("plays the stored patterns")
    case .playback(.autoplay): return Statement("plays patterns, including ones stored later")
    case .stop(let isClearing):
      return Statement(isClearing ? "stops and deletes all patterns" : "stops the patterns")
    case .store(let pattern, let colour):
      let times =
        pattern.repetitions == LED.endless
        ? "forever" : Words.count(pattern.repetitions, "time")
      let needsRevision =
        pattern.delayMilliseconds > 0 && context.modules[.led]?.revision == 0
      return Statement(
        "stores a pattern of \(colour.words) light, \(times)", .count("high", pattern.high, "/31"),
        .count("low", pattern.low, "/31"), .count("rise", pattern.riseMilliseconds, "ms"),
        .count("on", pattern.highMilliseconds, "ms"),
        .count("fall", pattern.fallMilliseconds, "ms"),
        .count("period", pattern.periodMilliseconds, "ms"),
        .count("delay", pattern.delayMilliseconds, "ms"),
        .count("repetitions", pattern.repetitions),
        remarks: needsRevision ? ["LEDs of module revision 0 have no delay"] : [])
    }
  }
}

extension LED.Colour {
  fileprivate var words: String {
    switch self {
    case .green: "green"
    case .red: "red"
    case .blue: "blue"
    }
  }
}

extension NeoPixel: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .open(let strand, let order, let isFast, let pin, let count):
      let orders = ["RGB", "RBG", "GRB", "GBR"]
      return Statement(
        "opens strand \(strand) of \(Words.count(count, "light")) at pin \(pin)",
        .text("order", orders[Int(order.rawValue)]), .text("speed", isFast ? "fast" : "slow"))
    case .hold(let strand, let isOn):
      return Statement(isOn ? "holds strand \(strand)" : "stops holding strand \(strand)")
    case .clear(let strand, let first, let last):
      return Statement("turns off lights \(first) to \(last) of strand \(strand)")
    case .colour(let strand, let index, let red, let green, let blue):
      return Statement(
        "sets light \(index) of strand \(strand)", .count("red", red), .count("green", green),
        .count("blue", blue))
    case .rotate(let strand, _, 0, _): return Statement("ends the rotation of strand \(strand)")
    case .rotate(let strand, let isAway, let times, let milliseconds):
      return Statement(
        "rotates strand \(strand) \(isAway ? "away from" : "towards") the board, "
          + (times == NeoPixel.endless ? "forever" : Words.count(times, "time")),
        .count("period", milliseconds, "ms"))
    case .close(let strand): return Statement("releases strand \(strand)")
    }
  }
}

extension Haptic: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .motor(let duty, let milliseconds):
      Statement(
        "runs the motor",
        .quantity("duty", 100 * Double(duty) / Double(Self.fullDuty), "%", decimals: 0, raw: duty),
        .count("length", milliseconds, "ms"))
    case .buzzer(let milliseconds):
      Statement("sounds the buzzer", .count("length", milliseconds, "ms"))
    }
  }
}

extension IBeacon: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .enable(let isOn): Statement("turns advertising as an iBeacon \(Words.onOff(isOn))")
    case .identifier(let bytes):
      Statement(
        "sets the identifier",
        .text(
          "uuid",
          [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { range in
            Words.hex(bytes[range]).filter { $0 != " " }
          }.joined(separator: "-")))
    case .major(let value): Statement("sets the major number", .count("major", value))
    case .minor(let value): Statement("sets the minor number", .count("minor", value))
    case .receivedPower(let power):
      Statement("sets the signal strength at one metre", .count("power", power, "dBm"))
    case .sentPower(let power):
      Statement("sets the transmit power", .count("power", power, "dBm"))
    case .period(let milliseconds):
      Statement("sets the time between advertisements", .count("period", milliseconds, "ms"))
    }
  }
}
