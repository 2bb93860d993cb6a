internal import MetaWearProtocol

/// Explains packets one after another. Remembers what the packets reveal about each board: chips,
/// ranges, processors, triggers and events.
struct Inspector: Sendable {
  private let preset: ModuleTable?
  private var boards: [UInt32?: BoardKnowledge] = [:]

  /// Creates an inspector for boards with these modules. If no table is given, the modules are read
  /// from the capture. If the capture does not list them either, each explanation states its
  /// assumptions.
  init(modules: ModuleTable? = nil) {
    preset = modules
  }

  mutating func explain(_ packet: CapturedPacket) -> Explanation {
    var board = boards[packet.link] ?? BoardKnowledge(preset: preset)
    let explanation = board.explain(packet)
    boards[packet.link] = board
    return explanation
  }
}

extension BoardKnowledge {
  /// One possible meaning of a packet, with its direction and module table.
  private struct Finding {
    let direction: Direction
    let reading: Reading
    let understanding: Understanding
  }

  /// Explains a packet and records what it reveals about the board.
  mutating func explain(_ packet: CapturedPacket) -> Explanation {
    let bytes = packet.bytes
    guard bytes.count >= 2 else { return unknown(packet, packet.direction ?? .toBoard) }
    let directions = packet.direction.map { [$0] } ?? [.toBoard, .fromBoard]
    let findings = directions.compactMap { find(bytes, $0) }
    guard let finding = findings.first else {
      return unknown(packet, packet.direction ?? likelyDirection(of: bytes))
    }
    let other = findings.dropFirst().first.map { otherReading($0, bytes) }
    return understood(packet, finding, alternative: other)
  }

  /// Finds the first module table with which the packet is valid in this direction.
  private func find(_ bytes: [UInt8], _ direction: Direction) -> Finding? {
    let header = PacketHeader(module: bytes[0], registerByte: bytes[1])
    return readings(of: header.module).lazy.compactMap { reading in
      Understanding(bytes, direction, on: reading.modules).map {
        Finding(direction: direction, reading: reading, understanding: $0)
      }
    }.first
  }

  /// Returns the likely direction of a packet with no known meaning, if the capture does not show
  /// it. If the packet was requested, it is assumed to be a reply.
  private func likelyDirection(of bytes: [UInt8]) -> Direction {
    let header = PacketHeader(module: bytes[0], registerByte: bytes[1])
    let key = [header.moduleCode, header.register | (header.isRead ? 0x80 : 0)]
    return asked.contains(key) || header.isRead && bytes.count > 4 ? .fromBoard : .toBoard
  }

  private func otherReading(_ finding: Finding, _ bytes: [UInt8]) -> String? {
    guard case .notification(let notification) = finding.understanding else { return nil }
    var context = Context(board: self, modules: finding.reading.modules)
    return "from the board it would mean: "
      + context.statement(of: notification, bytes).sentence
  }

  private mutating func understood(
    _ packet: CapturedPacket, _ finding: Finding, alternative: String??
  ) -> Explanation {
    let header = PacketHeader(module: packet.bytes[0], registerByte: packet.bytes[1])
    var context = Context(board: self, modules: finding.reading.modules)
    var statement: Statement
    var inference: String?
    switch finding.understanding {
    case .command(let meaning):
      statement = meaning.statement(in: context)
      inference = inferChip(header, packet.bytes, finding)
      learn(meaning, in: context)
    case .notification(let notification):
      statement = context.statement(of: notification, packet.bytes)
      if let surplus = surplus(of: packet.bytes, notification, finding.reading.modules) {
        statement.remarks.append(surplus)
      }
      if header.isSilent {
        statement.remarks.append("replies to a silent read, unlike current firmware")
      }
      if let objection = objection(to: header, notification) {
        statement.remarks.append(objection)
      }
      assembler = context.board.assembler
      inference = inferChip(header, packet.bytes, finding)
      learn(notification)
    }
    statement.remarks += lacks(header, on: finding.reading.modules)
    if let alternative, let alternative { statement.remarks.append(alternative) }
    return Explanation(
      packet: packet, direction: finding.direction, isDirectionAssumed: packet.direction == nil,
      module: header.module?.name,
      register: Register.find(header, on: finding.reading.modules)?.name,
      kind: kind(of: finding.understanding, header), isUnderstood: true,
      assumptions: (inference.map { [$0] } ?? []) + assumptions(finding, header, packet.bytes),
      statement: statement)
  }

  private mutating func unknown(
    _ packet: CapturedPacket, _ direction: Direction
  ) -> Explanation {
    let bytes = packet.bytes
    let header = PacketHeader(
      module: bytes.first ?? 0, registerByte: bytes.count > 1 ? bytes[1] : 0)
    let readings = readings(of: header.module)
    // Prefer a module table that contains the register: it gives a more useful reason why the
    // packet is not understood.
    let reading =
      readings.first { Register.find(header, on: $0.modules) != nil } ?? readings[0]
    let register = bytes.count > 1 ? Register.find(header, on: reading.modules) : nil
    let reason =
      bytes.count > 1 && header.module == nil
      ? "no module has the number \(Words.hex([header.moduleCode]))"
      : Misunderstanding.reason(
        bytes, direction, on: reading.modules, isKnownRegister: register != nil)
    if direction == .toBoard { hasCommands = true }
    return Explanation(
      packet: packet, direction: direction, isDirectionAssumed: packet.direction == nil,
      module: bytes.isEmpty ? nil : header.module?.name, register: register?.name,
      kind: direction == .toBoard
        ? (header.isRead ? (header.isSilent ? .silentRead : .read) : .write)
        : (header.isRead ? .reply : .notification),
      isUnderstood: false, assumptions: reading.assumption.map { [$0] } ?? [],
      statement: Statement(
        "not understood: \(reason)",
        remarks: bytes.count > 1
          ? otherChip(bytes, direction) + lacks(header, on: reading.modules) : []))
  }

  private func kind(of understanding: Understanding, _ header: PacketHeader) -> Explanation.Kind {
    switch understanding {
    case .notification: return header.isRead ? .reply : .notification
    case .command(let meaning):
      if header.isRead { return header.isSilent ? .silentRead : .read }
      switch meaning {
      case let request as SignalRequest:
        return request.kind == .unsubscribe ? .unsubscribe : .subscribe
      case DataProcessor.subscribe, Timer.notify(_, isOn: true): return .subscribe
      case DataProcessor.unsubscribe, Timer.notify(_, isOn: false): return .unsubscribe
      default: return .write
      }
    }
  }

  /// Describes the bytes that follow the last field in a packet.
  private func surplus(
    of bytes: [UInt8], _ notification: Notification, _ modules: ModuleTable
  ) -> String? {
    var count = bytes.count
    while count > 2,
      let shorter = try? Notification(
        decoding: Array(bytes.prefix(count - 1)).span, from: modules), shorter == notification
    {
      count -= 1
    }
    guard count < bytes.count else { return nil }
    return "\(Words.count(bytes.count - count, "surplus byte")): \(Words.hex(bytes[count...]))"
  }

  /// Describes what the board would need to support this packet: the module, or a newer revision of
  /// it. The result is based on the board's own replies.
  private func lacks(_ header: PacketHeader, on modules: ModuleTable) -> [String] {
    guard let module = header.module, header.register > 0 else { return [] }
    if absent.contains(module) { return ["the board has no \(module.name) module"] }
    guard let info = self.modules[module],
      let register = Register.find(header, on: modules), register.firstRevision > info.revision
    else { return [] }
    return [
      "this register needs revision \(register.firstRevision) of the module, but the board has "
        + "\(info.revision)"
    ]
  }

  /// Infers the chip from a setting that only one chip supports.
  private mutating func inferChip(
    _ header: PacketHeader, _ bytes: [UInt8], _ finding: Finding
  ) -> String? {
    guard let module = header.module, let assumption = finding.reading.assumption,
      header.register == 0x03 || header.register == 0x04,
      inferred[module] != finding.reading.modules[module]
    else { return nil }
    let fitting = readings(of: module).filter {
      Understanding(bytes, finding.direction, on: $0.modules) != nil
    }
    guard fitting.count == 1 else { return nil }
    inferred[module] = finding.reading.modules[module]
    return "\(assumption), the only chip with this setting"
  }

  /// Describes the meaning that the packet would have for a different chip.
  private func otherChip(_ bytes: [UInt8], _ direction: Direction) -> [String] {
    let header = PacketHeader(module: bytes[0], registerByte: bytes[1])
    guard let module = header.module, modules[module] != nil else { return [] }
    var ignorant = BoardKnowledge(preset: nil)
    ignorant.settings = settings
    let fitting = ignorant.find(bytes, direction)
    guard case .command(let meaning)? = fitting?.understanding, let fitting,
      let chip = fitting.reading.modules.chips[module], fitting.reading.assumption != nil
    else { return [] }
    let context = Context(board: self, modules: fitting.reading.modules)
    return ["to a \(chip) it would mean: \(meaning.statement(in: context).sentence)"]
  }

  private func assumptions(
    _ finding: Finding, _ header: PacketHeader, _ bytes: [UInt8]
  ) -> [String] {
    var assumptions: [String] = []
    if let module = header.module, let assumption = finding.reading.assumption,
      header.register > 2, inferred[module] != finding.reading.modules[module]
    {
      assumptions.append(assumption)
    }
    guard case .notification = finding.understanding, bytes.count > 2 else { return assumptions }
    var modules = finding.reading.modules
    if header == PacketHeader(.dataProcessor, 0x03), let processor = processors[bytes[2]] {
      modules = Context(board: self, modules: modules).modules(of: processor.source)
    }
    return assumptions
      + (layout(of: header, index: bytes[2], on: modules)?.assumptions ?? [])
  }
}
