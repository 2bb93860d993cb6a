internal import Values

extension Explanation {
  /// One object with the members that `docs/inspect.md` defines; later versions may add members but
  /// change none.
  var json: JSONValue {
    var members: [JSONValue.Member] = []
    switch packet.place {
    case .line(let number): members.append(.init("line", .integer(Int64(number))))
    case .record(let number): members.append(.init("record", .integer(Int64(number))))
    }
    if let time = packet.time { members.append(.init("time", .string(time))) }
    if let link = packet.link { members.append(.init("link", .integer(Int64(link)))) }
    members += [
      .init("direction", .string(direction == .toBoard ? "to_board" : "from_board")),
      .init("direction_assumed", .bool(isDirectionAssumed)),
      .init("bytes", .string(Words.hex(packet.bytes).filter { $0 != " " })),
      .init("module", module.map { .string($0) } ?? .null),
      .init("register", register.map { .string($0) } ?? .null),
      .init("kind", .string(kind.rawValue)),
      .init("understood", .bool(isUnderstood)),
      .init("meaning", .string(statement.sentence)),
      .init("values", .array(statement.rows.flatMap(\.json))),
      .init("assumptions", .array(assumptions.map { .string($0) })),
      .init("remarks", .array(statement.remarks.map { .string($0) })),
    ]
    return .object(members)
  }
}

extension Statement.Row {
  /// An object for each value.
  fileprivate var json: [JSONValue] {
    values.map { value in
      var members: [JSONValue.Member] = [.init("name", .string(value.name))]
      switch value.content {
      case .number(let number, _): members.append(.init("value", .number(number)))
      case .integer(let number): members.append(.init("value", .integer(number)))
      case .text(let text): members.append(.init("value", .string(text)))
      }
      if let unit = value.unit { members.append(.init("unit", .string(unit))) }
      if let raw = value.raw { members.append(.init("raw", .integer(raw))) }
      if let label { members.append(.init("of", .string(String(label.drop { $0 == " " })))) }
      return .object(members)
    }
  }
}
