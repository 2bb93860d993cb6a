import MetaWearProtocol

@testable import Inspection

/// A packet and its explanation.
struct Case: Sendable, CustomStringConvertible {
  /// An arrow for the direction, followed by the packet's bytes.
  let packet: String
  /// The sentence that explains the packet.
  let meaning: String
  /// The explanation's values, in order.
  let values: String
  /// Remarks and assumptions.
  let remarks: [String]

  init(_ packet: String, _ meaning: String, _ values: String = "", remarks: [String] = []) {
    self.packet = packet
    self.meaning = meaning
    self.values = values
    self.remarks = remarks
  }

  var description: String { packet }

  var captured: CapturedPacket {
    CapturedPacket(
      place: .line(1), direction: packet.hasPrefix(">") ? .toBoard : .fromBoard,
      bytes: hex(String(packet.dropFirst())))
  }
}

extension Explanation {
  /// Returns the values in the notation of these tests: `x 1 g, y -2 g`.
  var values: String {
    statement.rows.map { row in
      (row.label.map { "\($0.drop { $0 == " " }): " } ?? "")
        + row.values.map { value in
          let text =
            switch value.content {
            case .number(let number, _): rounded(number)
            case .integer(let number): "\(number)"
            case .text(let text): text
            }
          return "\(value.name) \(text)" + (value.unit.map { " \($0)" } ?? "")
        }.joined(separator: ", ")
    }.joined(separator: "; ")
  }

  /// Rounds to at most six decimals.
  private func rounded(_ value: Double) -> String {
    let text = "\((value * 1e6).rounded() / 1e6)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  var allRemarks: [String] { assumptions + statement.remarks }
}

extension Inspector {
  mutating func explain(lines: String) -> [Explanation] {
    var reader = CaptureReader()
    let items = reader.read(Array(lines.utf8)) + reader.finish()
    return items.compactMap { item in
      guard case .packet(let packet) = item else { return nil }
      return explain(packet)
    }
  }

  static func of(_ model: Model) -> Inspector {
    Inspector(modules: ModuleTable.preset(for: model))
  }
}
