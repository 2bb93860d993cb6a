/// A packet's meaning, in words and values.
struct Statement: Hashable, Sendable {
  /// One named value.
  struct Value: Hashable, Sendable {
    /// The content of a value.
    enum Content: Hashable, Sendable {
      /// A quantity, and the number of decimals to show.
      case number(Double, decimals: Int)
      /// A count.
      case integer(Int64)
      /// Anything else.
      case text(String)
    }

    /// Its name: letters, digits and `_`.
    let name: String
    /// The value in its unit.
    let content: Content
    /// Its unit; `nil` for none.
    let unit: String?
    /// The counts it was computed from, if the packet has other numbers.
    let raw: Int64?

    init(_ name: String, _ content: Content, unit: String? = nil, raw: Int64? = nil) {
      self.name = name
      self.content = content
      self.unit = unit
      self.raw = raw
    }

    static func count(_ name: String, _ value: some BinaryInteger, _ unit: String? = nil) -> Value {
      Value(name, .integer(Int64(clamping: value)), unit: unit)
    }

    static func text(_ name: String, _ text: String) -> Value { Value(name, .text(text)) }

    static func quantity(
      _ name: String, _ value: Double, _ unit: String? = nil, decimals: Int,
      raw: (some BinaryInteger)? = Int64?.none
    ) -> Value {
      Value(
        name, .number(value, decimals: decimals), unit: unit, raw: raw.map { Int64(clamping: $0) })
    }
  }

  /// Values that belong together, such as the axes of a sample.
  struct Row: Hashable, Sendable {
    /// The label of the row; `nil` if it needs none.
    let label: String?
    let values: [Value]

    init(_ label: String?, _ values: [Value]) {
      self.label = label
      self.values = values
    }

    init(_ values: [Value]) { self.init(nil, values) }
  }

  /// One clause: no capital at the start and no full stop.
  var sentence: String
  /// The values.
  var rows: [Row]
  /// Oddities of the packet and other remarks, each a clause.
  var remarks: [String]

  init(_ sentence: String, rows: [Row] = [], remarks: [String] = []) {
    self.sentence = sentence
    self.rows = rows
    self.remarks = remarks
  }

  init(_ sentence: String, _ values: Value..., remarks: [String] = []) {
    self.init(sentence, rows: values.isEmpty ? [] : [Row(values)], remarks: remarks)
  }
}
