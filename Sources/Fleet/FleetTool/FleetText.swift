internal import CommandLineTool
internal import Fleet
internal import Terminal
internal import Values

/// Formats a fleet's gateways as text and as JSON.
enum FleetText {
  struct Report {
    var lines: [String]
    var json: JSONValue
  }

  static func migrated(_ versions: (before: Int64, after: Int64)) -> Report {
    let (before, after) = versions
    return Report(
      lines: [
        before == after
          ? "The tables already have version \(after)."
          : before == 0
            ? "Created the tables, version \(after)."
            : "Updated the tables from version \(before) to \(after)."
      ], json: ["before": before.json, "after": after.json])
  }

  static func added(_ name: String, _ gateway: UniqueID?, token: String) -> Report {
    let name = TerminalText.harmless(name)
    return Report(
      lines: [
        gateway.map { "Added the gateway \(name), \($0)." } ?? "Added the reader \(name).",
        "Its token, which is shown only once:", token,
      ],
      json: [
        "name": name.json, "gateway": gateway.json, "token": token.json,
      ])
  }

  static func rotated(_ name: String, token: String) -> Report {
    let name = TerminalText.harmless(name)
    return Report(
      lines: ["The new token of \(name), which is shown only once:", token],
      json: ["name": name.json, "token": token.json])
  }

  static func revoked(_ name: String) -> Report {
    let name = TerminalText.harmless(name)
    return Report(
      lines: ["The token of \(name) is revoked. Stored sessions are kept."],
      json: ["name": name.json, "revoked": true])
  }

  static func list(
    _ members: [FleetDatabase.Member], now: UTCTime, adding command: String
  ) -> Report {
    var table = TextTable([.init("name"), .init("gateway"), .init("seen"), .init("token")])
    for member in members {
      table.append([
        TerminalText.harmless(member.name), member.gateway.map { "\($0)" } ?? "reader",
        seen(member, now), member.revoked == nil ? "valid" : "revoked",
      ])
    }
    return Report(
      lines: members.isEmpty
        ? ["The fleet is empty. Add a gateway with '\(command)'."]
        : table.lines,
      json: .array(members.map(json)))
  }

  static func member(
    _ member: FleetDatabase.Member, _ amount: FleetDatabase.Amount?, now: UTCTime,
    inUTC: Bool
  ) -> Report {
    var lines = [
      "\(TerminalText.harmless(member.name)), "
        + (member.gateway.map { "gateway \($0)" } ?? "a reader"),
      "token: \(member.revoked == nil ? "valid" : "revoked") since "
        + (SessionText.date(member.revoked ?? member.made, inUTC: inUTC) ?? "–"),
      "seen: \(seen(member, now))",
    ]
    var json = json(member)
    if let amount {
      lines.append(
        "stored: \(NumberText.count(amount.sessions, "session")), "
          + "\(NumberText.count(amount.chunks, "chunk")), "
          + NumberText.count(amount.samples, "sample"))
      if amount.sealed > 0 {
        lines.append(
          "sealed: \(NumberText.count(amount.sealed, "session")) in "
            + "\(NumberText.count(amount.objects, "object")), "
            + ReceiveText.bytes(Int(amount.objectBytes)))
      }
      if case .object(let members) = json {
        json = .object(
          members + [
            .init("sessions", amount.sessions), .init("chunks", amount.chunks),
            .init("samples", amount.samples), .init("sealed", amount.sealed),
            .init("objects", amount.objects), .init("object_bytes", amount.objectBytes),
          ])
      }
    }
    return Report(lines: lines, json: json)
  }

  private static func json(_ member: FleetDatabase.Member) -> JSONValue {
    [
      "name": member.name.json, "gateway": member.gateway.json,
      "added": member.made.iso8601(decimals: 0).json,
      "seen": (member.seen?.iso8601(decimals: 0)).json,
      "revoked": (member.revoked?.iso8601(decimals: 0)).json,
    ]
  }

  private static func seen(_ member: FleetDatabase.Member, _ now: UTCTime) -> String {
    guard member.gateway != nil else { return "–" }
    guard let seen = member.seen else { return "never" }
    return DurationText.short(Double(now.nanoseconds - seen.nanoseconds) / 1e9) + " ago"
  }
}

extension Console {
  func print(_ report: FleetText.Report, asJSON: Bool) throws -> ExitStatus {
    try print(asJSON ? report.json.text : report.lines.joined(separator: "\n"))
    return .ok
  }
}
