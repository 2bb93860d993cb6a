internal import MetaWearProtocol
internal import Values

/// Runs one vector on the MetaWear codec.
struct MetaWearRunner {
  let vector: MetaWearVector

  func check() throws(Objection) {
    switch vector.kind {
    case "command": try checkCommand()
    case "sequence": try checkSequence()
    case "exchange": try checkExchange()
    case "decode": try checkDecode()
    case "timing": try checkTiming()
    case "log_download": try LogVector(vector: vector).check()
    case "model": try checkModel()
    default: throw .skipped("unknown kind \(vector.kind)")
    }
  }

  // MARK: Encoding

  private func checkCommand() throws(Objection) {
    let expected = vector.json["bytes"]?.text ?? ""
    if vector.operation == "processor.config_bytes" {
      // The expected bytes are the processor's configuration, with or without the byte for its
      // type.
      let config = try ProcessorVector(vector: vector).function().bytes
      guard [Hexadecimal.text(config), Hexadecimal.text(config.dropFirst())].contains(expected)
      else {
        throw .failed("expected \(expected), got \(Hexadecimal.text(config))")
      }
      return
    }
    try compare(try Operation(vector: vector).commands(), with: [expected])
  }

  private func checkSequence() throws(Objection) {
    let expected = vector.json["commands"]?.list?.compactMap(\.text) ?? []
    try compare(try Operation(vector: vector).commands(), with: expected)
  }

  /// Compares the encoded commands with the expected bytes. Also checks that each packet decodes to
  /// a command, and that the command encodes to the same bytes.
  private func compare(_ commands: [Command], with expected: [String]) throws(Objection) {
    let found = commands.map { Hexadecimal.text($0.bytes) }
    guard found == expected else { throw .failed("expected \(expected), got \(found)") }
    for command in commands { try checkRoundTrip(command) }
  }

  private func checkRoundTrip(_ command: Command) throws(Objection) {
    let meaning = command.meaning(on: vector.modules)
    guard meaning.command == command else {
      throw .failed(
        "\(Hexadecimal.text(command.bytes)) encodes to \(Hexadecimal.text(meaning.command.bytes))")
    }
  }

  private func checkExchange() throws(Objection) {
    for step in vector.json["steps"]?.list ?? [] {
      if let text = step["tx"]?.text {
        guard let packet = Hexadecimal.bytes(text), let command = Command(bytes: packet) else {
          throw .failed("not a command: \(text)")
        }
        try checkRoundTrip(command)
      } else if let text = step["rx"]?.text {
        guard let packet = Hexadecimal.bytes(text) else { throw .failed("not bytes: \(text)") }
        if case .other = try notification(packet) { throw .failed("\(text) is not recognised") }
      } else {
        throw .skipped("a step that is neither sent nor received")
      }
    }
  }

  // MARK: Decoding

  private func notification(_ packet: [UInt8]) throws(Objection) -> Notification {
    do throws(DecodeError) {
      return try Notification(decoding: packet.span, from: vector.modules)
    } catch {
      throw .failed("\(Hexadecimal.text(packet)): \(error)")
    }
  }

  private func checkDecode() throws(Objection) {
    var rows: [Row] = []
    for packet in try vector.notifications() {
      rows += try SignalReading(vector: vector).rows(of: packet)
    }
    try Row.compare(rows, with: vector)
  }

  private func checkTiming() throws(Objection) {
    var ticks: [UInt32] = []
    for packet in try vector.notifications() {
      let layout = ProcessorReading(vector: vector).layout(dataLength: packet.count - 3)
      do throws(DecodeError) {
        ticks += try layout.samples(decoding: packet.span).compactMap(\.stamp)
      } catch {
        throw .failed("\(Hexadecimal.text(packet)): \(error)")
      }
    }
    try Times(ticks: ticks, expected: vector.expected ?? .null).check()
  }

  private func checkModel() throws(Objection) {
    var modules = ModuleTable()
    for packet in try vector.packets(vector.json["module_replies"]?.list ?? []) {
      guard case .moduleInfo(let module, let info) = try notification(packet) else {
        throw .failed("\(Hexadecimal.text(packet)) is not a module info packet")
      }
      modules[module] = info
    }
    let model = Model(number: vector.context["model_number"]?.text ?? "", modules: modules)
    var chips: [String: JSON] = [:]
    for (module, chip) in modules.chips {
      chips[Self.moduleNames[module] ?? "\(module)"] = .text(chip)
    }
    if modules.has(.sensorFusion) { chips["sensor_fusion"] = .bool(true) }
    guard model.description == vector.expected?["model"]?.text else {
      throw .failed("model is \(model)")
    }
    let expected = vector.expected?["chips"] ?? .object([:])
    guard expected == .object(chips) else { throw .failed("chips are \(chips)") }
  }

  private static let moduleNames: [ModuleID: String] = [
    .accelerometer: "accelerometer", .gyroscope: "gyroscope", .magnetometer: "magnetometer",
    .barometer: "barometer", .ambientLight: "ambient_light", .humidity: "humidity",
    .colour: "color", .proximity: "proximity",
  ]
}

/// The times of successive samples in ticks, for comparison with the expected times.
struct Times {
  let ticks: [UInt32]
  let expected: JSON

  // The tolerance in milliseconds. It covers the differences between the vendor's own programs.
  private static let usualTolerance = 2.0

  var tolerance: Double {
    expected["offset_tolerance_ms"]?.number ?? Self.usualTolerance
  }

  func check() throws(Objection) {
    if let list = expected["ticks"]?.list {
      guard list == ticks.map({ .number(Double($0)) }) else {
        throw .failed("ticks are \(ticks)")
      }
    }
    if let list = expected["offsets_ms"]?.list {
      try compare(offsets, with: list.compactMap(\.number), "offsets")
    }
  }

  var offsets: [Double] {
    zip(ticks, ticks.dropFirst()).map { Logging.milliseconds(from: $0, to: $1) }
  }

  func compare(
    _ found: [Double], with expected: [Double], _ name: String
  ) throws(Objection) {
    guard found.count == expected.count,
      zip(found, expected).allSatisfy({ abs($0 - $1) <= tolerance })
    else { throw .failed("\(name) are \(found) ms, expected \(expected)") }
  }
}
