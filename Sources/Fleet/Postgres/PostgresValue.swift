public import Values

/// A parameter of a statement, in PostgreSQL's binary form.
public struct PostgresValue: Sendable {
  /// The number of the type in PostgreSQL.
  let type: UInt32
  /// The bytes; `nil` for NULL.
  let bytes: [UInt8]?

  /// A `uuid`.
  public static func id(_ id: UniqueID?) -> PostgresValue {
    PostgresValue(type: Kind.uuid.type, bytes: id.map { Self.bytes(of: $0) })
  }

  /// A `bigint`.
  public static func integer(_ value: Int64?) -> PostgresValue {
    PostgresValue(type: Kind.bigint.type, bytes: value.map { Self.bytes(of: $0) })
  }

  /// A `text`.
  public static func text(_ text: String?) -> PostgresValue {
    PostgresValue(type: Kind.text.type, bytes: text.map { Array($0.utf8) })
  }

  /// A `bytea`.
  public static func bytes(_ bytes: [UInt8]?) -> PostgresValue {
    PostgresValue(type: Kind.bytea.type, bytes: bytes)
  }

  /// A `uuid[]`.
  public static func ids(_ ids: some Sequence<UniqueID>) -> PostgresValue {
    array(of: .uuid, ids.map { bytes(of: $0) })
  }

  /// A `bigint[]`.
  public static func integers(_ values: some Sequence<Int64>) -> PostgresValue {
    array(of: .bigint, values.map { bytes(of: $0) })
  }

  /// A `text[]`.
  public static func texts(_ texts: some Sequence<String>) -> PostgresValue {
    array(of: .text, texts.map { Array($0.utf8) })
  }

  /// A `bytea[]`.
  public static func byteStrings(_ strings: some Sequence<[UInt8]>) -> PostgresValue {
    array(of: .bytea, Array(strings))
  }

  /// A `float8[]`, in which `nil` is NULL.
  public static func numbers(_ values: some Sequence<Double?>) -> PostgresValue {
    array(of: .double, values.map { $0.map { bytes(of: Int64(bitPattern: $0.bitPattern)) } })
  }

  /// Types by their numbers in PostgreSQL's catalogue, which never change.
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

  private static func array(of kind: Kind, _ elements: [[UInt8]?]) -> PostgresValue {
    var form: [UInt8] = []
    form.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
    // Dimensions, whether there are NULLs, the elements' type, their number, the first index.
    let hasNull = elements.contains { $0 == nil }
    for number in [1, hasNull ? 1 : 0, kind.type, UInt32(elements.count), 1] {
      append(number, to: &form)
    }
    for element in elements {
      append(element.map { UInt32($0.count) } ?? .max, to: &form)
      form += element ?? []
    }
    return PostgresValue(type: kind.arrayType, bytes: form)
  }

  private static func append(_ number: UInt32, to form: inout [UInt8]) {
    for shift in stride(from: 24, through: 0, by: -8) {
      form.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private static func bytes(of value: Int64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func bytes(of id: UniqueID) -> [UInt8] {
    bytes(of: Int64(bitPattern: id.high)) + bytes(of: Int64(bitPattern: id.low))
  }
}
