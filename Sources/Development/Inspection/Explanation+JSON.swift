internal import Values

extension Explanation {
  /// The explanation as a JSON object with the members defined in `docs/inspect.md`. Later versions
  /// may add members but never change existing members.
  var json: JSONValue {
    let place: JSONValue.Member =
      switch packet.place {
      case .line(let number): .init("line", number)
      case .record(let number): .init("record", number)
      }
    let origin = [place, .init("time", packet.time), .init("link", packet.link)]
    return .object(
      origin.filter { $0.value != .null } + [
        .init("direction", direction == .toBoard ? "to_board" : "from_board"),
        .init("direction_assumed", isDirectionAssumed),
        .init("bytes", .string(Words.hex(packet.bytes).filter { $0 != " " })),
        .init("module", module), .init("register", register), .init("kind", kind.rawValue),
        .init("understood", isUnderstood), .init("meaning", statement.sentence),
        .init("values", .array(statement.rows.flatMap(\.json))), .init("assumptions", assumptions),
        .init("remarks", statement.remarks),
      ])
  }
}

extension Statement.Row {
  fileprivate var json: [JSONValue] {
    values.map { value in
      let content =
        switch value.content {
        case .number(let number, _): number.json
        case .integer(let number): number.json
        case .text(let text): text.json
        }
      return .known([
        .init("name", value.name), .init("value", content), .init("unit", value.unit),
        .init("raw", value.raw), .init("of", label.map { String($0.drop { $0 == " " }) }),
      ])
    }
  }
}
