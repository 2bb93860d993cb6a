public import Values

/// A statement's parameter, in PostgreSQL's binary format.
public struct PostgresValue: Sendable {
  /// The OID of the parameter's PostgreSQL type.
  let type: UInt32
  /// The encoded value; `nil` for NULL.
  let bytes: [UInt8]?

  public static func id(_ id: UniqueID?) -> PostgresValue { one(.uuid, id, append) }

  public static func integer(_ value: Int64?) -> PostgresValue { one(.bigint, value, append) }

  public static func text(_ text: String?) -> PostgresValue {
    PostgresValue(type: Kind.text.type, bytes: text.map { Array($0.utf8) })
  }

  public static func bytes(_ bytes: [UInt8]?) -> PostgresValue {
    PostgresValue(type: Kind.bytea.type, bytes: bytes)
  }

  public static func ids(_ ids: [UniqueID]) -> PostgresValue {
    array(of: .uuid, ids, size: 16 * ids.count, append)
  }

  public static func integers(_ values: [Int64]) -> PostgresValue {
    array(of: .bigint, values, size: 8 * values.count, append)
  }

  public static func texts(_ texts: [String]) -> PostgresValue {
    array(of: .text, texts, size: 16 * texts.count) { $1 += $0.utf8 }
  }

  public static func byteStrings(_ strings: [[UInt8]]) -> PostgresValue {
    array(of: .bytea, strings, size: strings.reduce(0) { $0 + $1.count }) { $1 += $0 }
  }

  /// A `nil` element becomes NULL.
  public static func numbers(_ values: [Double?]) -> PostgresValue {
    array(of: .double, values, size: 8 * values.count) { append($0.bitPattern, to: &$1) }
  }

  /// Type OIDs from PostgreSQL's catalogue. They never change.
  private enum Kind {
    case uuid, bigint, text, bytea, double

    var type: UInt32 {
      switch self {
      case .bytea: 17
      case .bigint: 20
      case .text: 25
      case .double: 701
      case .uuid: 2_950
      }
    }

    var arrayType: UInt32 {
      switch self {
      case .bytea: 1_001
      case .bigint: 1_016
      case .text: 1_009
      case .double: 1_022
      case .uuid: 2_951
      }
    }
  }

  private static func one<Element>(
    _ kind: Kind, _ element: Element?, _ append: (Element, inout [UInt8]) -> Void
  ) -> PostgresValue {
    let bytes = element.map { element in
      var bytes: [UInt8] = []
      append(element, &bytes)
      return bytes
    }
    return PostgresValue(type: kind.type, bytes: bytes)
  }

  /// Encodes an array whose elements need about `size` bytes in total.
  private static func array<Element>(
    of kind: Kind, _ elements: [Element?], size: Int, _ append: (Element, inout [UInt8]) -> Void
  ) -> PostgresValue {
    var form: [UInt8] = []
    form.reserveCapacity(20 + 4 * elements.count + size)
    // The header consists of the number of dimensions, a flag for NULLs, the element type, the
    // number of elements and the first index.
    let hasNull = elements.contains { $0 == nil }
    for number in [1, hasNull ? 1 : 0, kind.type, UInt32(elements.count), 1] {
      Self.append(number, to: &form)
    }
    for element in elements {
      let place = form.count
      Self.append(UInt32.max, to: &form)
      guard let element else { continue }
      append(element, &form)
      let count = UInt32(form.count - place - 4)
      for index in 0..<4 {
        form[place + index] = UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * index))
      }
    }
    return PostgresValue(type: kind.arrayType, bytes: form)
  }

  private static func append(_ number: some FixedWidthInteger, to form: inout [UInt8]) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      form.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private static func append(_ id: UniqueID, to form: inout [UInt8]) {
    append(id.high, to: &form)
    append(id.low, to: &form)
  }
}
