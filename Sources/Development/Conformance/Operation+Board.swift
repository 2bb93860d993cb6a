internal import MetaWearProtocol
internal import Recording
internal import Values

extension Operation {
  // MARK: Settings

  func settings(_ name: String) throws(Objection) -> [Command] {
    if name == "scan_response" {
      return Settings.scanResponse(whole: try arguments.bytes("data")).map(\.command)
    }
    if name == "read" {
      let what = try arguments.text("what")
      guard let signal = Signal(rawValue: what),
        let request = SignalRequest(.read, signal, on: vector.modules)
      else { throw .skipped("unknown setting \(what)") }
      return [request.command]
    }
    return [try setting(name).command]
  }

  private func setting(_ name: String) throws(Objection) -> Settings {
    switch name {
    case "name": return .name(Array(try arguments.text("name").utf8))
    case "tx_power": return .sentPower(dBm: Int8(bitPattern: try arguments.byte("dbm")))
    case "start_advertising": return .startAdvertising
    case "advertising":
      return .advertising(
        Advertising(
          intervalMilliseconds: try arguments.number("interval_ms"),
          timeoutSeconds: try arguments.byte("timeout_s", otherwise: 0),
          type: try arguments.byte("type", otherwise: 0), revision: vector.revision(otherwise: 10)))
    case "connection_params":
      return .link(
        ConnectionParameters(
          minimumMilliseconds: try arguments.number("min_ms"),
          maximumMilliseconds: try arguments.number("max_ms"),
          latency: try arguments.word("latency", otherwise: 0),
          timeoutMilliseconds: try arguments.number("timeout_ms")))
    case "3v": return .threeVolts(isOn: try arguments.bool("on"))
    case "force_1m_phy": return .slowPhysicalLayer(isForced: try arguments.bool("on"))
    case "whitelist_mode":
      guard let mode = Settings.WhitelistMode(rawValue: try arguments.byte("mode")) else {
        throw .failed("unknown mode")
      }
      return .whitelistMode(mode)
    case "whitelist_address":
      guard let address = BoardAddress(try arguments.text("mac")) else {
        throw .failed("not an address")
      }
      return .whitelist(
        index: try arguments.byte("index"),
        addressType: try arguments.byte("address_type", otherwise: 0), address)
    default: throw unknown
    }
  }

  // MARK: Logging

  func logging(_ name: String) throws(Objection) -> [Command] {
    switch name {
    case "add":
      let source = try ProcessorVector(vector: vector).source()
      return source.pieces().map { Logging.addTrigger($0).command }
    case "start":
      return Logging.start(isOverwriting: try arguments.bool("overwrite", otherwise: false))
    case "stop": return [Logging.stop]
    case "clear": return [Logging.drop(entries: .max).command]
    case "confirm_page": return [Logging.confirmPage.command]
    case "flush_page": return [Logging.flush.command]
    case "query": return [Logging.queryTrigger(try arguments.byte("id")).command]
    case "remove": return [Logging.removeTrigger(try arguments.byte("id")).command]
    case "remove_all": return [Logging.removeAllTriggers.command]
    case "readout":
      return [
        Logging.readOut(
          entries: UInt32(truncatingIfNeeded: try arguments.integer("entries")),
          progressInterval: UInt32(
            truncatingIfNeeded: try arguments.integer("notify", otherwise: 0))
        ).command
      ]
    default: throw unknown
    }
  }

  // MARK: Processors

  func processor(_ name: String) throws(Objection) -> [Command] {
    let described = ProcessorVector(vector: vector)
    switch name {
    case "add":
      return [
        DataProcessor.create(try described.function(), on: try described.source()).command
      ]
    case "remove_all": return [DataProcessor.removeAll.command]
    default: break
    }
    let id = try arguments.byte("id")
    switch name {
    case "modify": return [DataProcessor.modify(id, try described.function()).command]
    case "notify":
      // Unsubscribing leaves the processor module's notifications enabled, because the client may
      // have subscribed to another processor.
      return try arguments.bool("on")
        ? [DataProcessor.subscribe(id).command, DataProcessor.enableNotifications]
        : [DataProcessor.unsubscribe(id).command]
    case "read_state":
      let isSilent = try arguments.bool("silent", otherwise: false)
      return [DataProcessor.readState(id, isSilent: isSilent).command]
    case "set_state": return [DataProcessor.setState(id, try arguments.bytes("data")).command]
    case "remove": return [DataProcessor.remove(id).command]
    default: throw unknown
    }
  }

  // MARK: Events, macros, timers, debugging

  func onBoard(_ name: String) throws(Objection) -> [Command] {
    switch name {
    case "event.record": return try event()
    case "event.remove": return [Event.remove(try arguments.byte("id")).command]
    case "event.remove_all": return [Event.removeAll.command]
    case "macro.record":
      var commands: [Command] = []
      for text in try arguments.texts("commands") { commands.append(try command(text)) }
      let runsAtBoot = try arguments.bool("execute_on_boot", otherwise: false)
      return Macro.record(commands, runsAtBoot: runsAtBoot).map(\.command)
    case "macro.execute": return [Macro.run(try arguments.byte("id")).command]
    case "macro.erase_all": return [Macro.eraseAll.command]
    case "timer.create":
      // A negative number of repetitions means endless repetition, as does the highest possible
      // number.
      return [
        Timer.create(
          periodMilliseconds: UInt32(truncatingIfNeeded: try arguments.integer("period_ms")),
          repetitions: try arguments.word("repetitions", otherwise: -1),
          isImmediate: try arguments.bool("immediate", otherwise: false)
        ).command
      ]
    case "timer.start": return [Timer.start(try arguments.byte("id")).command]
    case "timer.stop": return [Timer.stop(try arguments.byte("id")).command]
    case "timer.remove": return [Timer.remove(try arguments.byte("id")).command]
    case "timer.notify":
      return [Timer.notify(try arguments.byte("id"), isOn: try arguments.bool("on")).command]
    default: return [try debug(name).command]
    }
  }

  private func command(_ text: String) throws(Objection) -> Command {
    guard let command = Hexadecimal.bytes(text).flatMap(Command.init(bytes:)) else {
      throw .failed("not a command: \(text)")
    }
    return command
  }

  private func event() throws(Objection) -> [Command] {
    let place = try arguments.bytes("source")
    guard place.count == 3 else { throw .failed("a source must have three bytes") }
    let token = arguments.json["token"].map { Arguments(json: $0) }
    var copy: Event.Copy?
    if let token {
      copy = Event.Copy(
        length: try token.byte("length"),
        sourceOffset: try token.byte(
          token.has("source_offset") ? "source_offset" : "offset", otherwise: 0),
        parameterOffset: try token.byte("dest_offset"))
    }
    let source = Event.Source(
      PacketHeader(module: place[0], registerByte: place[1]), index: place[2])
    return Event.record(try command(try arguments.text("command")), when: source, copying: copy)
  }

  private func debug(_ name: String) throws(Objection) -> Debug {
    switch name {
    case "debug.command":
      return try arguments.choice(
        "action",
        [
          "reset": .reset, "bootloader": .bootloader, "disconnect": .disconnect,
          "power_save": .savePower, "reset_after_gc": .resetAfterCleaning,
        ])
    case "debug.key_write":
      return .setKey(UInt32(truncatingIfNeeded: try arguments.integer("value")))
    case "debug.spoof_button":
      // The button has no index, so the index byte is 0.
      return .spoof([ModuleID.switch.rawValue, 0x01, 0, try arguments.byte("value")])
    case "debug.stack_assert": return .assertStack(isOn: try arguments.bool("on"))
    default: throw unknown
    }
  }
}
