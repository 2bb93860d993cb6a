internal import MetaWearProtocol
internal import Values

/// One MetaWear vector: an operation or a packet, with the context needed to process it.
struct MetaWearVector {
  let module: String
  let json: JSON

  var kind: String { json["kind"]?.text ?? "" }
  var operation: String { json["op"]?.text ?? "" }
  var signal: String { json["signal"]?.text ?? "" }
  var context: JSON { json["context"] ?? .object([:]) }
  var arguments: Arguments { Arguments(json: json["args"] ?? .object([:])) }
  var expected: JSON? { json["expect"] }
  var tolerance: Double { json["tolerance"]?.number ?? 0 }

  /// Returns the packets listed in `notifications`, or the single packet in `notification`.
  func notifications() throws(Objection) -> [[UInt8]] {
    let texts = json["notifications"]?.list ?? json["notification"].map { [$0] } ?? []
    return try packets(texts)
  }

  func packets(_ texts: [JSON]) throws(Objection) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    for text in texts {
      guard let packet = text.text.flatMap(Hexadecimal.bytes(_:)) else {
        throw .failed("not bytes: \(text)")
      }
      packets.append(packet)
    }
    return packets
  }

  // MARK: The board

  func revision(_ key: String = "module_rev", otherwise revision: Int) -> UInt8 {
    UInt8(clamping: context[key]?.integer ?? revision)
  }

  /// The accelerometer that the context specifies, or else the MetaMotion R's.
  var accelerometer: Accelerometer {
    let chip = Accelerometer.Chip.allCases.first {
      Accelerometer(chip: $0, revision: 1).chipName == context["chip"]?.text
    }
    return Accelerometer(chip: chip ?? .bmi160, revision: revision(otherwise: 1))
  }

  /// The gyroscope that the context specifies, or else the MetaMotion R's.
  var gyroscope: Gyroscope {
    let chip = Gyroscope.Chip.allCases.first {
      Gyroscope(chip: $0, revision: 1).chipName == context["chip"]?.text
    }
    return Gyroscope(chip: chip ?? .bmi160, revision: 1)
  }

  var modules: ModuleTable {
    ModuleTable([
      .accelerometer: ModuleInfo(
        implementation: accelerometer.chip.rawValue,
        revision: max(accelerometer.revision, module == "accelerometer" ? 0 : 1)),
      .gyroscope: ModuleInfo(implementation: gyroscope.chip.rawValue, revision: 1),
    ])
  }
}

/// An operation's arguments, with defaults for missing ones.
struct Arguments {
  let json: JSON

  func has(_ name: String) -> Bool { json[name] != nil }

  func bool(_ name: String, otherwise value: Bool? = nil) throws(Objection) -> Bool {
    try given(json[name]?.bool ?? value, name)
  }

  func number(_ name: String, otherwise value: Double? = nil) throws(Objection) -> Double {
    try given(json[name]?.number ?? value, name)
  }

  func integer(_ name: String, otherwise value: Int? = nil) throws(Objection) -> Int {
    try given(json[name]?.integer ?? value, name)
  }

  func text(_ name: String, otherwise value: String? = nil) throws(Objection) -> String {
    try given(json[name]?.text ?? value, name)
  }

  func texts(_ name: String) throws(Objection) -> [String] {
    try given(json[name]?.list.map { $0.compactMap(\.text) }, name)
  }

  func integers(_ name: String) throws(Objection) -> [Int] {
    try given(json[name]?.list.map { $0.compactMap(\.integer) }, name)
  }

  func byte(_ name: String, otherwise value: Int? = nil) throws(Objection) -> UInt8 {
    UInt8(truncatingIfNeeded: try integer(name, otherwise: value))
  }

  func word(_ name: String, otherwise value: Int? = nil) throws(Objection) -> UInt16 {
    UInt16(truncatingIfNeeded: try integer(name, otherwise: value))
  }

  func bytes(_ name: String) throws(Objection) -> [UInt8] {
    try given(json[name]?.text.flatMap(Hexadecimal.bytes(_:)), name)
  }

  /// Returns the choice that an argument specifies by name.
  func choice<Value>(
    _ name: String, _ choices: [String: Value], otherwise value: Value? = nil
  ) throws(Objection) -> Value {
    guard let word = json[name]?.text else { return try given(value, name) }
    guard let choice = choices[word] else { throw .skipped("unknown \(name) \(word)") }
    return choice
  }

  /// Returns the choice that an argument specifies by number.
  func choice<Value>(
    _ name: String, numbers choices: [(Double, Value)], otherwise value: Value? = nil
  ) throws(Objection) -> Value {
    guard let number = json[name]?.number else { return try given(value, name) }
    guard let choice = choices.first(where: { $0.0 == number }) else {
      throw .failed("unknown \(name) \(number)")
    }
    return choice.1
  }

  private func given<Value>(_ value: Value?, _ name: String) throws(Objection) -> Value {
    guard let value else { throw .failed("argument \(name) is missing") }
    return value
  }
}
