internal import MetaWearProtocol

extension Context {
  /// Describes a notification. `packet` contains the bytes from which it was decoded.
  ///
  /// This function is mutating, because it combines log entries with earlier ones.
  mutating func statement(of notification: Notification, _ packet: [UInt8]) -> Statement {
    switch notification {
    case .moduleInfo(let module, let info): return self.statement(of: module, info)
    case .created(let module, let id): return created(module, id)
    case .configuration(let module, let configuration):
      let unit = module == .accelerometer ? "g" : "deg/s"
      return Statement("is set to \(configuration.words(unit))", rows: [configuration.row(unit)])
    case .sample: return measured("one sample", packet)
    case .packedSamples: return measured("three samples, oldest first", packet)
    case .processorOutput(let id, let bytes): return output(of: id, bytes)
    case .processorState(let id, let bytes):
      return Statement("state of \(processor(id))", .text("bytes", Words.hex(bytes)))
    case .processorDescription(_, nil):
      return Statement(
        "\(queried("processor", .dataProcessor)) does not exist, or its type is unknown")
    case .processorDescription(let source, let function?):
      return Statement(
        "\(queried("processor", .dataProcessor)) works on \(name(of: source)): \(function.words)")
    case .temperature(let channel, _):
      return measured("temperature of channel \(channel)\(driver(of: channel))", packet, from: 3)
    case .switchState(let isPressed):
      return Statement(isPressed ? "the button is pressed" : "the button is released")
    case .accelerometerEvent(let event): return event.statement
    case .pressure: return measured("air pressure", packet)
    case .altitude: return measured("altitude above standard sea level", packet)
    case .humidity: return measured("relative humidity", packet)
    case .illuminance: return measured("illuminance", packet)
    case .colour: return measured("light by colour, in raw counts", packet)
    case .proximity: return measured("reflected light, in raw counts", packet)
    case .pin(let reading): return reading.statement
    case .busData(let id, let bytes):
      return Statement(
        "\(Words.count(bytes.count, "byte")) read with id \(id)", .text("bytes", Words.hex(bytes)))
    case .fusion(let output):
      let mode = board.fusion.map { " in \($0.mode.words)" } ?? ""
      let accuracy = output.accuracy.map { ", accuracy \($0.words)" } ?? ""
      return measured(output.words + mode + accuracy, packet)
    case .fusionConfiguration(let configuration): return configuration.statement("is set to")
    case .calibrationState(let state):
      return Statement(
        "sensor calibration state",
        .text("accelerometer", state.accelerometer.words),
        .text("gyroscope", state.gyroscope.words),
        .text("magnetometer", state.magnetometer.words))
    case .calibrationData(let module, let bytes):
      return Statement("the \(module.name)'s calibration", .text("bytes", Words.hex(bytes)))
    case .timerFired(let id): return Statement("\(timer(id)) fired")
    case .magneticThreshold(let bits):
      return Statement("the threshold was crossed", .text("bits", Words.hex([bits])))
    case .timeReference, .logTrigger, .logLength, .logEntries, .logProgress, .logPageComplete:
      return log(notification)
    case .battery, .connectionParameters, .name, .advertising, .sentPower, .scanResponse,
      .address, .power, .charge:
      return setting(notification, packet)
    case .debugKey, .stack, .diagnosis: return diagnosis(notification)
    case .other(_, let bytes): return Statement("unknown", .text("bytes", Words.hex(bytes)))
    }
  }

  /// Describes a register's values if its layout is known.
  private func measured(_ sentence: String, _ packet: [UInt8], from start: Int = 2) -> Statement {
    let header = PacketHeader(module: packet[0], registerByte: packet[1])
    guard let layout = board.layout(of: header, index: packet[2], on: modules) else {
      return Statement(sentence, .text("bytes", Words.hex(packet[start...])))
    }
    return Statement(sentence, rows: layout.rows(packet[start...]).rows)
  }

  private func statement(of module: ModuleID, _ info: ModuleInfo?) -> Statement {
    guard let info else { return Statement("the board does not have this module") }
    var table = modules
    table[module] = info
    var values: [Statement.Value] = [
      .count("implementation", info.implementation), .count("revision", info.revision),
    ]
    if let chip = table.chips[module] { values.insert(.text("chip", chip), at: 0) }
    return Statement("the board has the module", rows: [.init(values + info.details(of: module))])
  }

  private func created(_ module: ModuleID, _ id: UInt8) -> Statement {
    let what = module == .logging ? "trigger" : module == .dataProcessor ? "processor" : module.name
    guard let creation = board.pending[module]?.first else {
      return Statement(
        "\(what) \(id) was created", .count("id", id),
        remarks: board.hasCommands ? ["the command that created it is not in this capture"] : [])
    }
    return Statement("\(what) \(id) was created: \(words(creation))", .count("id", id))
  }

  /// Describes the resource that a reply without an id refers to.
  private func queried(_ what: String, _ module: ModuleID) -> String {
    board.queried[module].map { "\(what) \($0)" } ?? "the \(what)"
  }

  func words(_ creation: BoardKnowledge.Creation) -> String {
    switch creation {
    case .processor(let processor): "\(processor.function.words), on \(name(of: processor.source))"
    case .trigger(let source): "records \(name(of: source))"
    case .other(let words): words
    }
  }

  private func output(of id: UInt8, _ bytes: [UInt8]) -> Statement {
    guard let known = board.processors[id] else {
      return Statement(
        "output of processor \(id)", .text("bytes", Words.hex(bytes)),
        remarks: ["the function of processor \(id) is not in this capture"])
    }
    let sentence = "output of \(processor(id)), on \(name(of: known.source))"
    let header = PacketHeader(.dataProcessor, 0x03)
    guard let layout = board.layout(of: header, index: id, on: modules(of: known.source)) else {
      return Statement(sentence, .text("bytes", Words.hex(bytes)))
    }
    let (rows, rest) = layout.rows(bytes[...])
    var remarks: [String] = []
    if bytes.count < layout.length {
      remarks.append("expected \(layout.length) bytes of output, found \(bytes.count)")
    } else if !rest.isEmpty {
      remarks.append("\(Words.count(rest.count, "surplus byte")): \(Words.hex(rest))")
    }
    if let lost = board.lost(id, bytes) {
      remarks.append("\(Words.count(lost, "output")) of this processor lost before this one")
    }
    return Statement(sentence, rows: rows, remarks: remarks)
  }

  /// Returns the module table for decoding the signal at the start of a processor chain.
  func modules(of source: SignalSource) -> ModuleTable {
    var source = source
    for _ in 0..<32 {
      guard source.header.module == .dataProcessor, let before = board.processors[source.index]
      else { break }
      source = before.source
    }
    return board.readings(of: source.header.module).first?.modules ?? modules
  }

  private mutating func log(_ notification: Notification) -> Statement {
    switch notification {
    case .timeReference(let reference):
      return Statement(
        "the board's clock",
        .quantity(
          "since_reset", Double(reference.tick) * Logging.tickSeconds, "s", decimals: 3,
          raw: reference.tick), .count("reset_uid", reference.resetUID))
    case .logTrigger(let source?):
      return Statement("\(queried("trigger", .logging)) records \(name(of: source))")
    case .logTrigger(nil):
      return Statement("\(queried("trigger", .logging)) does not exist")
    case .logLength(let entries):
      return Statement(
        "the log has \(Words.count(entries, "entry", "entries"))", .count("entries", entries))
    case .logEntries(let first, let second):
      var rows = statement(of: first, number: 1)
      if let second { rows += statement(of: second, number: 2) }
      let ids = [first.trigger] + (second.map { [$0.trigger] } ?? [])
      let unknown = ids.filter { board.triggers[$0] == nil }
      return Statement(
        second == nil ? "one log entry" : "two log entries", rows: rows,
        remarks: unknown.isEmpty
          ? []
          : [
            "the signal of \(unknown.count == 1 ? "this trigger" : "these triggers") is not in this capture"
          ])
    case .logProgress(0): return Statement("all entries were sent")
    case .logProgress(let left):
      return Statement(
        "\(Words.count(left, "entry", "entries")) still to be sent", .count("left", left))
    default: return Statement("a page was sent; it is erased once confirmed")
    }
  }

  private func setting(_ notification: Notification, _ packet: [UInt8]) -> Statement {
    switch notification {
    case .battery: return measured("battery state", packet)
    case .connectionParameters(let parameters): return parameters.statement("prefers")
    case .name(let name):
      return Statement("the board's name is \(Words.quoted(packet[2...]))", .text("name", name))
    case .advertising(let advertising): return advertising.statement("advertises", in: self)
    case .sentPower(let power):
      return Statement("transmit power", .count("power", power, "dBm"))
    case .scanResponse(let bytes):
      return Statement(
        "scan response", .text("bytes", Words.hex(bytes)), .text("ascii", Words.quoted(bytes)))
    case .address(let address):
      return Statement("the board's address", .text("address", "\(address)"))
    case .power(let isPresent):
      return Statement(isPresent ? "has external power" : "has no external power")
    case .charge(let isCharging):
      return Statement(isCharging ? "the battery is charging" : "the battery is not charging")
    default: return Statement("a setting", .text("bytes", Words.hex(packet[2...])))
    }
  }

  private func diagnosis(_ notification: Notification) -> Statement {
    switch notification {
    case .debugKey(let key): Statement("the stored number", .count("key", key))
    case .stack(let isAsserting, let free):
      Statement(
        "the stack check is \(Words.onOff(isAsserting))",
        .count("never_used", free, "bytes"))
    case .diagnosis(let register, let bytes):
      Statement(
        Register.find(PacketHeader(.debug, register), on: modules)?.name ?? "figures",
        .text("bytes", Words.hex(bytes)))
    default: Statement("firmware statistics")
    }
  }
}

extension ModuleInfo {
  /// Decodes the bytes that follow the implementation and the revision in a module info. Their
  /// meaning depends on the module.
  fileprivate func details(of module: ModuleID) -> [Statement.Value] {
    guard !extra.isEmpty else { return [] }
    let bytes = extra.span
    switch module {
    case .led: return [.count("channels", extra[0])]
    case .temperature:
      let names = ["processor", "external thermistor", "barometer", "board thermistor"]
      return extra.enumerated().map { channel, driver in
        .text("channel_\(channel)", Int(driver) < names.count ? names[Int(driver)] : "\(driver)")
      }
    case .gpio:
      return extra.enumerated().map { pin, abilities in
        .text(
          "pin_\(pin)",
          (0..<3).filter { abilities >> UInt8($0) & 1 != 0 }
            .map { ["digital", "analog", "high current"][$0] }.joined(separator: " "))
      }
    case .dataProcessor, .event, .timer, .macro: return [.count("most", extra[0])]
    case .logging where extra.count >= 5:
      var values: [Statement.Value] = [
        .count("triggers", extra[0]), .count("capacity", bytes.uint32(at: 1), "entries"),
      ]
      if extra.count >= 7 { values.append(.count("least_readout", bytes.uint16(at: 5), "bytes")) }
      return values
    case .settings:
      let features = Words.bits(extra[0], ["power status", "charge status", "3-V supply"])
      return [.text("features", features)]
        + (extra.count > 1 ? [.count("build", extra[1])] : [])
    case .sensorFusion where extra.count >= 8:
      let parts = [0, 2, 4, 6].map { "\(bytes.uint16(at: $0))" }
      return [.text("library", parts.joined(separator: "."))]
    default: return [.text("extra", Words.hex(extra))]
    }
  }
}

extension SensorFusion.Output {
  /// The sensor's calibration accuracy; `nil` if the output does not contain it.
  fileprivate var accuracy: SensorFusion.Accuracy? {
    switch self {
    case .correctedAcceleration(_, let accuracy), .correctedAngularVelocity(_, let accuracy),
      .correctedMagneticField(_, let accuracy):
      accuracy
    case .quaternion, .eulerAngles, .gravity, .linearAcceleration: nil
    }
  }

  fileprivate var words: String {
    switch self {
    case .correctedAcceleration: SensorFusion.outputNames[0]
    case .correctedAngularVelocity: SensorFusion.outputNames[1]
    case .correctedMagneticField: SensorFusion.outputNames[2]
    case .quaternion: SensorFusion.outputNames[3]
    case .eulerAngles: SensorFusion.outputNames[4]
    case .gravity: SensorFusion.outputNames[5]
    case .linearAcceleration: SensorFusion.outputNames[6]
    }
  }
}
