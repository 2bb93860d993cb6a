public import LinuxSystem

/// A value of any D-Bus type, used for arguments and properties.
public indirect enum BusValue: Sendable {
  /// `y`
  case byte(UInt8)
  /// `b`
  case boolean(Bool)
  /// `n`
  case int16(Int16)
  /// `q`
  case uint16(UInt16)
  /// `i`
  case int32(Int32)
  /// `u`
  case uint32(UInt32)
  /// `x`
  case int64(Int64)
  /// `t`
  case uint64(UInt64)
  /// `d`
  case double(Double)
  /// `s`
  case string(String)
  /// `o`
  case objectPath(String)
  /// `g`
  case signature(String)
  /// `h`
  case descriptor(DescriptorBox)
  /// `ay`, the type of Bluetooth characteristic values. Stored as plain bytes rather than as an
  /// array of values.
  case bytes([UInt8])
  /// `a…`: the element signature, then the elements.
  case array(of: String, [BusValue])
  /// `a{…}`: the key and value signatures, then the entries in order.
  case dictionary(key: String, value: String, [Entry])
  /// `(…)`
  case structure([BusValue])
  /// `v`
  case variant(BusValue)

  /// A dictionary entry.
  public struct Entry: Sendable {
    /// The key, which has a basic type.
    public var key: BusValue
    public var value: BusValue

    public init(key: BusValue, value: BusValue) {
      self.key = key
      self.value = value
    }
  }

  /// Returns a value of type `a{sv}`, with its entries sorted by key.
  public static func properties(_ properties: [String: BusValue]) -> BusValue {
    .dictionary(
      key: "s", value: "v",
      properties.sorted { $0.key < $1.key }
        .map { Entry(key: .string($0.key), value: .variant($0.value)) })
  }

  /// Returns a value of type `as`.
  public static func strings(_ strings: [String]) -> BusValue {
    .array(of: "s", strings.map { .string($0) })
  }

  public var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{\(key)\(value)}"
    case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }
}

// These properties unwrap variants and return the value as the expected type, or `nil` if it has
// another type.
extension BusValue {
  public var text: String? {
    switch self {
    case .string(let text), .objectPath(let text), .signature(let text): text
    case .variant(let inner): inner.text
    default: nil
    }
  }

  public var flag: Bool? {
    switch self {
    case .boolean(let flag): flag
    case .variant(let inner): inner.flag
    default: nil
    }
  }

  public var integer: Int? {
    switch self {
    case .byte(let value): Int(value)
    case .int16(let value): Int(value)
    case .uint16(let value): Int(value)
    case .int32(let value): Int(value)
    case .uint32(let value): Int(value)
    case .int64(let value): Int(value)
    case .uint64(let value): Int(exactly: value)
    case .variant(let inner): inner.integer
    default: nil
    }
  }

  public var byteArray: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .variant(let inner): inner.byteArray
    default: nil
    }
  }

  /// The strings, if this is an array of strings or of object paths.
  public var texts: [String]? {
    switch self {
    case .array(_, let elements): elements.compactMap(\.text)
    case .variant(let inner): inner.texts
    default: nil
    }
  }

  /// The entries whose keys are text, if this is a dictionary.
  public var properties: [String: BusValue]? {
    switch self {
    case .dictionary(_, _, let entries):
      entries.reduce(into: [:]) { properties, entry in
        if let key = entry.key.text { properties[key] = entry.value }
      }
    case .variant(let inner): inner.properties
    default: nil
    }
  }

  public var descriptor: DescriptorBox? {
    switch self {
    case .descriptor(let box): box
    case .variant(let inner): inner.descriptor
    default: nil
    }
  }
}
