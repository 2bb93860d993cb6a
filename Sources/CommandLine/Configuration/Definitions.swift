internal import BoardDriver
internal import Gateway
internal import MetaWearProtocol
internal import Recording
internal import Terminal
internal import Values

/// A set of definitions, checked as a whole. It contains values for keys that the configuration
/// file does not set, and additional hazard names (`docs/definitions.md`).
///
/// The JSON members are converted to sections of a configuration file, which then undergo the same
/// checks as a file.
struct Definitions: Hashable, Sendable {
  typealias Fault = DefinitionsPull.Fault

  /// The configuration with the values from the set, and defaults for everything else.
  private(set) var configuration = GatewayConfiguration()
  /// The keys that the definitions set.
  private(set) var places: Set<ConfigurationReading.Place> = []
  var participants: [Participant] { configuration.participants }
  /// Hazard names in addition to the usual ones.
  private(set) var hazards: [String] = []
  /// The studies and their tasks.
  private(set) var plan = StudyPlan()
  /// The time of the last change, as stated in the set.
  private(set) var updated: UTCTime?
  /// The members that this version does not support, as in `upload.colour` and `sensors[2]`.
  private(set) var skipped: [String] = []
  /// Members that have no effect, and the reason for each.
  private(set) var remarks: [String] = []
  private var parts: [ConfigurationParser.Part] = []
  private var listed: [Participant] = []

  /// The maximum total number of values in a set.
  private static let mostValues = 4_096
  /// The maximum number of hazard names. A longer list would be too long to choose from.
  static let mostHazards = 100
  /// The maximum number of participants. Finding a participant in a longer list would be too
  /// difficult.
  static let mostParticipants = 500

  /// Parses and checks a set. An unknown member is skipped and listed in `skipped`; an invalid
  /// value of a known member invalidates the whole set.
  init(parsing bytes: [UInt8]) throws(Fault) {
    let json: JSON
    do throws(JSONError) {
      var parser = JSONParser(bytes, mostValues: Self.mostValues)
      json = try parser.value()
      try parser.finish()
    } catch {
      throw Fault("\(error)")
    }
    guard case .object(let members) = json else {
      throw Fault("the definitions are not a JSON object")
    }
    guard let format = members["format"] else {
      throw Fault("the definitions have no \"format\": 1")
    }
    guard format.integer == 1 else {
      throw Fault(
        "the definitions have a format other than 1, which is the only one that this version reads")
    }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
      try take(value, of: name)
    }
    try plan.checkBlocks()
    try fill()
  }

  /// Returns a key's values, as they would be written in a file.
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
    case "sensors": try takeSensors(Self.list(value, name))
    case "hazards": try takeHazards(Self.list(value, name))
    case "boards": try takeBoards(Self.list(value, name))
    case "participants": try takeParticipants(Self.list(value, name))
    case "studies": skipped += try plan.takeStudies(Self.list(value, name))
    case "tasks": skipped += try plan.takeTasks(Self.list(value, name))
    case "site", "upload": try takeMembers(value, of: name)
    default: skipped.append(name)
    }
  }

  static func list(_ value: JSON, _ name: String) throws(Fault) -> [JSON] {
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
        signal: signal, rate: try Self.number(members["rate"], "\(name).rate"),
        range: try Self.number(members["range"], "\(name).range"))
      skipped += Self.others(members, of: name, knowing: ["signal", "rate", "range"])
      add(request.text, .sensors, "sensor")
    }
  }

  static func number(
    _ value: JSON?, _ name: String, upTo most: Int = 1_000_000
  ) throws(Fault) -> Double? {
    guard let value, value != .null else { return nil }
    guard let number = value.number, number > 0, number <= Double(most) else {
      throw Fault("'\(name)' must be a number greater than 0 and at most \(most)")
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
        throw Fault("'\(title).name' cannot be a board's name; a name has \(BoardName.rule)")
      }
      guard !parts.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw Fault("two boards have the name '\(name)'")
      }
      add(address, .board, "address", name)
      if let placement = members["placement"], placement != .null {
        add(try Self.text(placement, "\(title).placement"), .board, "placement", name)
      }
      skipped += Self.others(members, of: title, knowing: ["name", "address", "placement"])
    }
  }

  private mutating func takeParticipants(_ list: [JSON]) throws(Fault) {
    guard list.count <= Self.mostParticipants else {
      throw Fault("'participants' has more than \(Self.mostParticipants) entries")
    }
    var ids: Set<String> = []
    for (index, value) in list.enumerated() {
      let title = "participants[\(index)]"
      do throws(Participant.Fault) {
        listed.append(try Participant(checking: value))
      } catch {
        let place = error.member.isEmpty ? title : "\(title).\(error.member)"
        throw Fault("'\(place)' \(error.reason)")
      }
      let id = try Self.text(.text(listed[index].id), "\(title).id")
      guard ids.insert(id.lowercased()).inserted else {
        throw Fault("two participants have the id '\(id)'")
      }
      if case .object(let members) = value {
        skipped += members.filter { $0.value.list != nil || $0.value.isObject }.keys.sorted()
          .map { "\(title).\($0)" }
      }
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
      let text = path == Self.place ? try place(value) : try Self.text(value, path)
      if !text.isEmpty { add(text, key.section, key.name) }
    }
  }

  private static let place = "site.place"

  /// Converts a fixed location to a position source. Other kinds of sources are not supported,
  /// because they would refer to files or to other computers.
  private func place(_ value: JSON) throws(Fault) -> String {
    guard let latitude = value["latitude"]?.number, let longitude = value["longitude"]?.number
    else { throw Fault("'\(Self.place)' needs a latitude and a longitude") }
    var text = "fixed:\(latitude),\(longitude)"
    if let altitude = value["altitude"] {
      guard let metres = altitude.number else {
        throw Fault("'\(Self.place).altitude' is not a number")
      }
      text += ",\(metres)"
    }
    return text
  }

  static func text(_ value: JSON, _ path: String) throws(Fault) -> String {
    switch value {
    case .text(let text):
      if let scalar = text.unicodeScalars.first(where: isUnseen) {
        let code = String(scalar.value, radix: 16, uppercase: true)
        throw Fault("'\(path)' contains an invisible character, U+\(code)")
      }
      return text
    case .number(let number): return NumberText.plain(number)
    default: throw Fault("'\(path)' is neither text nor a number")
    }
  }

  /// Returns whether a character is invisible or changes the text direction, which could make two
  /// names look alike. Joiners that some scripts need are allowed.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200C, 0x200D: false
    // Filler characters, which Unicode classifies as letters, symbols or marks.
    case 0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: true
    default: scalar.properties.generalCategory == .format
    }
  }

  /// Returns the paths of the members that are skipped because this version does not support them.
  static func others(
    _ members: [String: JSON], of title: String, knowing: Set<String>
  ) -> [String] {
    members.keys.filter { !knowing.contains($0) }.sorted().map { "\(title).\($0)" }
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

  /// Converts the values to a configuration, using the configuration file's rules.
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
    configuration.participants = listed
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

  /// Removes the line number of an earlier value from a message, because definitions have no line
  /// numbers.
  private static func withoutLine(_ message: String) -> String {
    let words = [", first on line 0", ", line 0"]
    guard let end = words.first(where: message.hasSuffix) else { return message }
    return String(message.dropLast(end.count))
  }
}
