/// A packet's meaning, in words and values.
struct Statement: Hashable, Sendable {
  struct Value: Hashable, Sendable {
    enum Content: Hashable, Sendable {
      /// A quantity, and the number of decimal places to show.
      case number(Double, decimals: Int)
      case integer(Int64)
      case text(String)
    }

    /// Consists of letters, digits and `_`.
    let name: String
    /// The value's content, in `unit`.
    let content: Content
    let unit: String?
    /// The raw number from which the value was computed; `nil` if the packet contains the value
    /// itself.
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
    let label: String?
    let values: [Value]

    init(_ label: String?, _ values: [Value]) {
      self.label = label
      self.values = values
    }

    init(_ values: [Value]) { self.init(nil, values) }
  }

  /// One clause that does not start with a capital and has no full stop.
  var sentence: String
  var rows: [Row]
  /// Remarks on the packet, for example on anything unusual. Each is one clause.
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
