internal import MetaWearProtocol

/// The byte layout of a value: a sequence of fields.
///
/// The same layout is used to decode samples, processor outputs and logged values.
struct Layout: Hashable {
  /// One number in a value.
  struct Field: Hashable {
    /// The encoding of the number. Sizes are in bytes.
    enum Format: Hashable {
      case unsigned(Int)
      case signed(Int)
      case float
    }

    var name: String
    var format: Format
    var unit: String? = nil
    var countsPerUnit = 1.0
    var decimals = 0
    /// The group that the field belongs to, if a packet has several values.
    var group = ""

    var length: Int {
      switch format {
      case .unsigned(let length), .signed(let length): length
      case .float: 4
      }
    }

    /// The slice must have exactly the field's length.
    func value(_ bytes: ArraySlice<UInt8>) -> Statement.Value {
      var pattern: UInt64 = 0
      for (position, byte) in bytes.enumerated() { pattern |= UInt64(byte) << UInt64(8 * position) }
      switch format {
      case .float:
        let number = Float(bitPattern: UInt32(truncatingIfNeeded: pattern))
        return .quantity(name, Double(number), unit, decimals: decimals)
      case .signed(let length):
        let unused = UInt64(64 - 8 * length)
        return scaled(Int64(bitPattern: pattern << unused) >> Int64(unused))
      case .unsigned: return scaled(Int64(truncatingIfNeeded: pattern))
      }
    }

    private func scaled(_ counts: Int64) -> Statement.Value {
      guard countsPerUnit != 1 else { return .count(name, counts, unit) }
      return .quantity(
        name, Double(counts) / countsPerUnit, unit, decimals: decimals, raw: counts)
    }
  }

  var fields: [Field]
  /// Assumptions on which the layout is based, such as a measuring range.
  var assumptions: [String] = []

  var length: Int { fields.reduce(0) { $0 + $1.length } }

  init(
    _ name: String, _ format: Field.Format, _ unit: String? = nil, countsPerUnit: Double = 1,
    decimals: Int = 0
  ) {
    fields = [
      Field(
        name: name, format: format, unit: unit, countsPerUnit: countsPerUnit, decimals: decimals)
    ]
  }

  init(
    _ names: [String], _ format: Field.Format, _ unit: String?, countsPerUnit: Double = 1,
    decimals: Int = 0
  ) {
    fields = names.map {
      Field(
        name: $0, format: format, unit: unit, countsPerUnit: countsPerUnit, decimals: decimals)
    }
  }

  /// Decodes the values in `bytes`. Also returns the remaining bytes: surplus bytes, or an
  /// incomplete field.
  func rows(_ bytes: ArraySlice<UInt8>) -> (rows: [Statement.Row], rest: ArraySlice<UInt8>) {
    var rows: [Statement.Row] = []
    var rest = bytes
    var group = ""
    var values: [Statement.Value] = []
    for field in fields {
      guard rest.count >= field.length else { break }
      if field.group != group, !values.isEmpty {
        rows.append(.init(group.isEmpty ? nil : group, values))
        values = []
      }
      group = field.group
      values.append(field.value(rest.prefix(field.length)))
      rest = rest.dropFirst(field.length)
    }
    if !values.isEmpty { rows.append(.init(group.isEmpty ? nil : group, values)) }
    return (rows, rest)
  }

  /// Returns a layout with `count` values of this kind, oldest first.
  func repeated(_ count: Int) -> Layout {
    var copy = self
    copy.fields = (1...max(count, 1)).flatMap { number in
      fields.map { field in
        var field = field
        field.group = field.group.isEmpty ? "sample \(number)" : "\(field.group), \(number)"
        return field
      }
    }
    return copy
  }

  /// Returns a layout with a field before this value.
  func following(_ field: Field) -> Layout {
    var copy = self
    copy.fields.insert(field, at: 0)
    return copy
  }

  /// Returns a layout with other values after this value.
  func followed(by others: [Layout]) -> Layout {
    var copy = self
    for other in others {
      copy.fields += other.fields
      copy.assumptions += other.assumptions
    }
    return copy
  }

  /// Returns the layout of part of the value; `nil` if the part splits a field.
  ///
  /// The length is stored in three bits, so it cannot distinguish 16 bytes from 8. For a value
  /// longer than 8 bytes, a length that differs from the actual one by a multiple of 8 therefore
  /// means the whole value.
  func part(from offset: Int, length: Int) -> Layout? {
    let whole = self.length
    if offset == 0, whole > 8, (whole - length).isMultiple(of: 8) { return self }
    var position = 0
    var copy = self
    copy.fields = []
    for field in fields {
      if position >= offset, position + field.length <= offset + length {
        copy.fields.append(field)
      }
      position += field.length
    }
    return copy.length == length ? copy : nil
  }

  /// Returns the layout of a number that a processor computed from this value. The number has the
  /// first field's unit.
  func reduced(to format: Field.Format, name: String? = nil) -> Layout {
    guard let first = fields.first else { return Layout(name ?? "value", format) }
    var copy = Layout(
      name ?? first.name, format, first.unit, countsPerUnit: first.countsPerUnit,
      decimals: first.decimals)
    copy.assumptions = assumptions
    return copy
  }
}
