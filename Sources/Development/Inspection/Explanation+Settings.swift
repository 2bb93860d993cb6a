internal import MetaWearProtocol
internal import Values

extension Settings: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .name(let bytes):
      return Statement(
        "sets the name \(Words.quoted(bytes))",
        .text("name", String(decoding: bytes, as: UTF8.self)))
    case .advertising(let advertising): return advertising.statement("advertises", in: context)
    case .sentPower(let power):
      return Statement("sets the transmit power", .count("power", power, "dBm"))
    case .startAdvertising: return Statement("starts advertising")
    case .scanResponse(let bytes):
      return Statement(
        "sets the scan response, or the rest of it", .text("bytes", Words.hex(bytes)),
        .text("ascii", Words.quoted(bytes)))
    case .scanResponseStart(let bytes):
      return Statement(
        "sets the start of a long scan response", .text("bytes", Words.hex(bytes)),
        .text("ascii", Words.quoted(bytes)))
    case .link(let parameters): return parameters.statement("asks the central for")
    case .whitelistMode(let mode):
      let modes = [
        WhitelistMode.open: "for nothing", .scan: "for scans", .connect: "for connections",
        .both: "for scans and connections",
      ]
      return Statement("uses the whitelist \(modes[mode] ?? "")")
    case .whitelist(let index, let type, let address):
      return Statement(
        index == 0
          ? "sets the target of directed advertising" : "sets entry \(index) of the whitelist",
        .text("address", "\(address)"), .count("address_type", type))
    case .threeVolts(let isOn): return Statement("turns the 3-V supply \(Words.onOff(isOn))")
    case .slowPhysicalLayer(let isForced):
      return Statement(isForced ? "keeps the link at 1 Mbit/s" : "lets the link choose its rate")
    }
  }
}

extension Advertising {
  func statement(_ verb: String, in context: Context) -> Statement {
    // Settings modules of revision 0 encode the interval in milliseconds. Such modules are found
    // only on boards that went out of production years ago.
    let revision = context.modules[.settings]?.revision ?? 1
    var values: [Statement.Value] = [
      .quantity(
        "interval", intervalMilliseconds(revision: revision), "ms", decimals: 1,
        raw: intervalCode),
      .count("timeout", timeoutSeconds, "s"),
    ]
    if let type { values.append(.text("type", type == 0 ? "connectable" : "directed")) }
    return Statement(
      "\(verb) every \(Words.plain(intervalMilliseconds(revision: revision))) ms"
        + (timeoutSeconds == 0 ? " indefinitely" : " for \(timeoutSeconds) s"),
      rows: [.init(values)])
  }
}

extension ConnectionParameters {
  func statement(_ verb: String) -> Statement {
    Statement(
      "\(verb) connection parameters",
      .quantity(
        "minimum", Double(minimumInterval) * Self.intervalMilliseconds, "ms", decimals: 2,
        raw: minimumInterval),
      .quantity(
        "maximum", Double(maximumInterval) * Self.intervalMilliseconds, "ms", decimals: 2,
        raw: maximumInterval),
      .count("latency", latency),
      .quantity(
        "timeout", Double(timeout) * Self.timeoutMilliseconds, "ms", decimals: 0, raw: timeout))
  }
}

extension Debug: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .reset: Statement("resets the board: only its log and macros remain, and the link drops")
    case .bootloader: Statement("restarts into the bootloader, which has no modules")
    case .spoof(let bytes):
      Statement(
        "makes the board act as if it had sent a notification", .text("bytes", Words.hex(bytes)))
    case .setKey(let value): Statement("stores a number until the next reset", .count("key", value))
    case .resetAfterCleaning:
      Statement(
        "resets once the flash is cleaned; some firmware ignores this if the flash is clean")
    case .disconnect: Statement("makes the board close the link")
    case .savePower: Statement("sleeps from the next reset on, until the button is pressed")
    case .assertStack(let isOn): Statement("turns the stack check \(Words.onOff(isOn))")
    }
  }
}

extension Timer: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .create(let period, let repetitions, let isImmediate):
      let times = repetitions == Timer.endless ? "forever" : Words.count(repetitions, "time")
      return Statement(
        "creates a timer: every \(Words.duration(milliseconds: Double(period))), \(times), "
          + (isImmediate ? "at once" : "first after one period"),
        .count("period", period, "ms"), .count("repetitions", repetitions))
    case .start(let id): return Statement("starts \(context.timer(id))")
    case .stop(let id): return Statement("stops \(context.timer(id))")
    case .remove(let id): return Statement("removes \(context.timer(id))")
    case .notify(let id, let isOn):
      return Statement(
        "\(isOn ? "notifies" : "no longer notifies") the host when \(context.timer(id)) fires")
    }
  }
}

extension Context {
  func timer(_ id: UInt8) -> String {
    "timer \(id)" + (board.made[.timer]?[id].map { " (\($0))" } ?? "")
  }
}

extension Event: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .begin(let source, let target, let count, let copy):
      let module = target.module?.name ?? "unknown module"
      let register = context.board.readings(of: target.module).lazy
        .compactMap { Register.find(target, on: $0.modules)?.name }.first
      var remarks: [String] = []
      if let copy {
        remarks.append(
          "copies \(Words.count(copy.length, "byte")) of the source's value, starting at byte "
            + "\(copy.sourceOffset), to the parameters, starting at byte \(copy.parameterOffset)")
      }
      return Statement(
        "creates an event: on \(context.name(of: source.header, index: source.index)), the board sends itself"
          + " \(Words.hex([target.moduleCode, target.registerByte])) "
          + "(\(module), \(register ?? "unknown register")) with "
          + Words.count(count, "parameter"),
        remarks: remarks)
    case .parameters(let bytes):
      guard case .begin(let source, let target, let count, _)? = context.board.openEvent else {
        return Statement(
          "sets the parameters of an event", .text("bytes", Words.hex(bytes)),
          remarks: ["the first half of the event is not in this capture"])
      }
      return Statement(
        "completes the event: at \(context.name(of: source.header, index: source.index)), "
          + context.nested([target.moduleCode, target.registerByte] + bytes),
        remarks: Int(count) == bytes.count
          ? [] : ["expected \(Words.count(count, "parameter")), found \(bytes.count)"])
    case .remove(let id):
      let what = context.board.made[.event]?[id].map { " (\($0))" } ?? ""
      return Statement("removes event \(id)\(what)")
    case .removeAll: return Statement("removes all events")
    }
  }
}

extension Macro: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .begin(let runsAtBoot):
      return Statement(
        "begins to store commands, to be run " + (runsAtBoot ? "at every boot" : "on request"))
    case .storeStart(let first, let second):
      return Statement(
        "stores the first two bytes of a long command: \(Words.hex([first, second]))")
    case .store(let bytes):
      return Statement("stores the command \(context.nested(context.board.macroStart + bytes))")
    case .end: return Statement("stops storing commands")
    case .run(let id): return Statement("runs macro \(id)")
    case .eraseAll: return Statement("erases all macros")
    }
  }
}
