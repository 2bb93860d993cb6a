internal import BoardDriver
internal import Gateway
internal import MetaWearProtocol
internal import Recording
internal import Terminal
internal import Values

/// A set of definitions, checked as a whole: values of keys that hold where the configuration file
/// says nothing, and further names of hazards (`docs/definitions.md`).
///
/// Its members become sections as a configuration file has them, and pass the same checks.
struct Definitions: Hashable, Sendable {
  typealias Fault = DefinitionsPull.Fault

  /// A configuration with the values of the set, and defaults for the rest.
  private(set) var configuration = GatewayConfiguration()
  /// The keys that the set has values for.
  private(set) var places: Set<ConfigurationReading.Place> = []
  /// Names of hazards besides the usual ones.
  private(set) var hazards: [String] = []
  /// The time of the last change, as the set itself says.
  private(set) var updated: UTCTime?
  /// The members that this version does not know, as in `upload.colour` and `sensors[2]`.
  private(set) var skipped: [String] = []
  /// Members without an effect, with the reason.
  private(set) var remarks: [String] = []
  private var parts: [ConfigurationParser.Part] = []

  /// The most values of a set, of any kind.
  private static let mostValues = 4_096
  /// The most names of hazards: a person has to choose among them.
  static let mostHazards = 100

  /// Reads and checks a set. An unknown member is skipped and counted; an invalid known one is a
  /// fault of the whole set.
  init(parsing bytes: [UInt8]) throws(Fault) {
    let json: JSON
    do throws(JSONError) {
      var parser = JSONParser(bytes, mostValues: Self.mostValues)
      json = try parser.value()
      try parser.finish()
    } catch {
      throw Fault("\(error)")
    }
    guard case .object(let members) = json else { throw Fault("they are not a JSON object") }
    guard let format = members["format"] else {
      throw Fault("they have no \"format\": 1, so they are not definitions")
    }
    guard format.integer == 1 else {
      throw Fault("their format is not 1, which is the only one that this version reads")
    }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
      try take(value, of: name)
    }
    try fill()
  }

  /// The values of a key, as they would stand in a file.
  func values(of key: ConfigurationKeyDescription) -> [String] {
    parts.filter { $0.section == key.section }.flatMap(\.entries).filter { $0.key == key.name }
      .map(\.value)
  }

  // MARK: Members

  private mutating func take(_ value: JSON, of name: String) throws(Fault) {
    switch name {
    case "format": break
    case "updated_at":
      guard let time = value.text.flatMap({ UTCTime(iso8601: $0) }) else {
        throw Fault("'updated_at' is not a time such as 2026-05-04T09:30:00Z")
      }
      updated = time
    case "chunk_size": try takeChunkSize(value)
    case "sensors": try takeSensors(list(value, name))
    case "hazards": try takeHazards(list(value, name))
    case "boards": try takeBoards(list(value, name))
    case "site", "upload": try takeMembers(value, of: name)
    default: skipped.append(name)
    }
  }

  private func list(_ value: JSON, _ name: String) throws(Fault) -> [JSON] {
    guard let list = value.list else { throw Fault("'\(name)' is not a list") }
    return list
  }

  private mutating func takeChunkSize(_ value: JSON) throws(Fault) {
    guard let size = value.integer, size > 0 else {
      throw Fault("'chunk_size' is not a number of samples")
    }
    if size != Chunk.capacity {
      remarks.append("chunk_size: chunks have \(Chunk.capacity) samples, not \(size)")
    }
  }

  private mutating func takeSensors(_ list: [JSON]) throws(Fault) {
    for (index, value) in list.enumerated() {
      let name = "sensors[\(index)]"
      guard case .object(let members) = value else { throw Fault("'\(name)' is not a map") }
      guard let signal = members["signal"]?.text else {
        skipped.append(name)
        continue
      }
      guard SensorChoice.signals.contains(signal) else {
        skipped.append("\(name) (\(TerminalText.quotation(signal)))")
        continue
      }
      let request = SensorRequest(
        signal: signal, rate: try number(members["rate"], "\(name).rate"),
        range: try number(members["range"], "\(name).range"))
      skip(members, of: name, knowing: ["signal", "rate", "range"])
      add(request.text, .sensors, "sensor")
    }
  }

  private func number(_ value: JSON?, _ name: String) throws(Fault) -> Double? {
    guard let value, value != .null else { return nil }
    guard let number = value.number, number > 0, number <= 1e6 else {
      throw Fault("'\(name)' is not a number above 0 and at most 1000000")
    }
    return number
  }

  private mutating func takeHazards(_ list: [JSON]) throws(Fault) {
    guard list.count <= Self.mostHazards else {
      throw Fault("'hazards' has more than \(Self.mostHazards) names")
    }
    for (index, value) in list.enumerated() {
      guard let request = value.text.flatMap({ HazardRequest("\($0)=0") }) else {
        throw Fault("'hazards[\(index)]' cannot be the name of a hazard")
      }
      let name = request.name.lowercased()
      if !(Hazard.usualNames + hazards).contains(where: { $0.lowercased() == name }) {
        hazards.append(request.name)
      }
    }
  }

  private mutating func takeBoards(_ list: [JSON]) throws(Fault) {
    for (index, value) in list.enumerated() {
      let title = "boards[\(index)]"
      guard case .object(let members) = value else { throw Fault("'\(title)' is not a map") }
      guard let name = value["name"]?.text, let address = value["address"]?.text else {
        skipped.append(title)
        continue
      }
      guard BoardName.isFit(name), !name.contains("]") else {
        throw Fault("'\(title).name' cannot be a board's name: it has \(BoardName.rule)")
      }
      guard !parts.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw Fault("two boards have the name '\(name)'")
      }
      add(address, .board, "address", name)
      if let placement = members["placement"], placement != .null {
        add(try text(placement, "\(title).placement"), .board, "placement", name)
      }
      skip(members, of: title, knowing: ["name", "address", "placement"])
    }
  }

  private mutating func takeMembers(_ value: JSON, of kind: String) throws(Fault) {
    guard case .object(let members) = value else { throw Fault("'\(kind)' is not a map") }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
      let path = "\(kind).\(name)"
      guard let key = GatewayConfiguration.descriptions.first(where: { $0.pulledAs == path })
      else {
        skipped.append(path)
        continue
      }
      let text = path == Self.place ? try place(value) : try text(value, path)
      if !text.isEmpty { add(text, key.section, key.name) }
    }
  }

  private static let place = "site.place"

  /// A fixed place as a source of positions. Others would name files and computers.
  private func place(_ value: JSON) throws(Fault) -> String {
    guard let latitude = value["latitude"]?.number, let longitude = value["longitude"]?.number
    else { throw Fault("'\(Self.place)' has no latitude and longitude") }
    var text = "fixed:\(latitude),\(longitude)"
    if let altitude = value["altitude"] {
      guard let metres = altitude.number else {
        throw Fault("'\(Self.place).altitude' is not a number")
      }
      text += ",\(metres)"
    }
    return text
  }

  private func text(_ value: JSON, _ path: String) throws(Fault) -> String {
    switch value {
    case .text(let text):
      if let scalar = text.unicodeScalars.first(where: Self.isUnseen) {
        let code = String(scalar.value, radix: 16, uppercase: true)
        throw Fault("'\(path)' contains an invisible character, U+\(code)")
      }
      return text
    case .number(let number): return NumberText.plain(number)
    default: throw Fault("'\(path)' is neither a text nor a number")
    }
  }

  /// Whether a character is invisible, or changes the direction of others, so that two names look
  /// alike. Joiners that some scripts need are allowed.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200C, 0x200D: false
    // Fillers, which count as letters, signs or accents.
    case 0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: true
    default: scalar.properties.generalCategory == .format
    }
  }

  private mutating func skip(_ members: [String: JSON], of title: String, knowing: Set<String>) {
    skipped += members.keys.filter { !knowing.contains($0) }.sorted().map { "\(title).\($0)" }
  }

  // MARK: Checks

  private mutating func add(
    _ value: String, _ section: ConfigurationSection, _ key: String, _ name: String = ""
  ) {
    let entry = ConfigurationParser.Entry(line: 0, key: key, value: value)
    if let index = parts.firstIndex(where: { $0.section == section && $0.name == name }) {
      parts[index].entries.append(entry)
    } else {
      parts.append(
        ConfigurationParser.Part(section: section, name: name, line: 0, entries: [entry]))
    }
  }

  /// Fills the values in by the rules of the configuration file.
  private mutating func fill() throws(Fault) {
    var filler = ConfigurationFiller(file: "")
    filler.fill(from: parts)
    if !filler.faults.isEmpty {
      throw Fault(
        filler.faults.map { fault in
          "\(fault.key ?? ""): \(Self.withoutLine(fault.message))"
        }.joined(separator: "; "))
    }
    configuration = filler.configuration
    places = Set(filler.lines.keys)
    if !values(of: .sensors).isEmpty,
      let failure = SensorFit.failure(ofAll: configuration.recording.sensors)
    {
      throw Fault("no board supports 'sensors': \(failure.message)")
    }
  }

  private func values(of section: ConfigurationSection) -> [ConfigurationParser.Entry] {
    parts.filter { $0.section == section }.flatMap(\.entries)
  }

  /// A fault of a file may name the line of an earlier value; a set has no lines.
  private static func withoutLine(_ message: String) -> String {
    let words = [", first in line 0", ", line 0"]
    guard let end = words.first(where: message.hasSuffix) else { return message }
    return String(message.dropLast(end.count))
  }
}
