internal import CDBus
internal import Glibc
internal import LinuxSystem

/// Decodes a message's arguments.
// Safety: the iterator points into a message, which the caller retains while reading.
@safe
struct ArgumentReader {
  private var iterator: DBusMessageIter

  init(_ iterator: DBusMessageIter) {
    unsafe self.iterator = unsafe iterator
  }

  /// Reads all remaining values at the current nesting level.
  mutating func readAll() -> [BusValue] {
    var values: [BusValue] = []
    while let value = read() { values.append(value) }
    return values
  }

  /// Reads the current value and advances to the next. Returns `nil` at the end, or if the value is
  /// unreadable.
  private mutating func read() -> BusValue? {
    let type = unsafe dbus_message_iter_get_arg_type(&iterator)
    guard type != Int32(cdbus_type_invalid) else { return nil }
    defer { unsafe dbus_message_iter_next(&iterator) }
    return switch Int(type) {
    case cdbus_type_byte: .byte(basic(0))
    case cdbus_type_boolean: .boolean(basic(dbus_bool_t(0)) != 0)
    case cdbus_type_int16: .int16(basic(0))
    case cdbus_type_uint16: .uint16(basic(0))
    case cdbus_type_int32: .int32(basic(0))
    case cdbus_type_uint32: .uint32(basic(0))
    case cdbus_type_int64: .int64(basic(0))
    case cdbus_type_uint64: .uint64(basic(0))
    case cdbus_type_double: .double(basic(0))
    case cdbus_type_string: .string(text())
    case cdbus_type_object_path: .objectPath(text())
    case cdbus_type_signature: .signature(text())
    case cdbus_type_unix_fd: descriptor()
    case cdbus_type_variant: inner { $0.read() }.map { .variant($0) }
    case cdbus_type_struct: .structure(inner { $0.readAll() })
    case cdbus_type_array: array()
    default: nil
    }
  }

  /// Reads a file descriptor. libdbus duplicates it, which fails if the process has reached its
  /// descriptor limit.
  private mutating func descriptor() -> BusValue? {
    let number = basic(Int32(-1))
    return number >= 0 ? .descriptor(DescriptorBox(OwnedDescriptor(owning: number))) : nil
  }

  private mutating func array() -> BusValue {
    let element = Int(unsafe dbus_message_iter_get_element_type(&iterator))
    return inner { $0.readArray(of: element) }
  }

  /// Reads array elements, starting at the current one.
  private mutating func readArray(of element: Int) -> BusValue {
    if element == cdbus_type_byte { return .bytes(byteArray()) }
    let signature = signature()
    guard element == cdbus_type_dict_entry else {
      return .array(of: signature, readAll())
    }
    var entries: [BusValue.Entry] = []
    while unsafe dbus_message_iter_get_arg_type(&iterator)
      == Int32(cdbus_type_dict_entry)
    {
      inner { pair in
        if let key = pair.read(), let value = pair.read() {
          entries.append(BusValue.Entry(key: key, value: value))
        }
      }
      unsafe dbus_message_iter_next(&iterator)
    }
    // An entry's signature is `{kv…}`. Keys have basic types, so a key's signature is a single
    // letter.
    let key = String(signature.dropFirst().prefix(1))
    return .dictionary(key: key, value: String(signature.dropFirst(2).dropLast()), entries)
  }

  // MARK: Reading without decoding

  mutating func skip() {
    unsafe dbus_message_iter_next(&iterator)
  }

  /// Returns whether the current argument is a string equal to `text`.
  mutating func isText(_ text: String) -> Bool {
    guard unsafe dbus_message_iter_get_arg_type(&iterator) == Int32(cdbus_type_string) else {
      return false
    }
    var pointer: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &pointer)
    return unsafe pointer.map { unsafe strcmp($0, text) == 0 } ?? false
  }

  /// Finds the byte array stored under a string key of the current dictionary and passes it to
  /// `body`. Does not call `body` if there is no such array.
  mutating func withBytes(at key: String, _ body: (Span<UInt8>) -> Void) {
    guard unsafe dbus_message_iter_get_arg_type(&iterator) == Int32(cdbus_type_array),
      unsafe dbus_message_iter_get_element_type(&iterator) == Int32(cdbus_type_dict_entry)
    else { return }
    inner { entries in
      while unsafe dbus_message_iter_get_arg_type(&entries.iterator)
        == Int32(cdbus_type_dict_entry)
      {
        entries.inner { pair in
          guard pair.isText(key) else { return }
          pair.skip()
          pair.inner { $0.withBytes(body) }
        }
        entries.skip()
      }
    }
  }

  private mutating func withBytes(_ body: (Span<UInt8>) -> Void) {
    guard unsafe dbus_message_iter_get_arg_type(&iterator) == Int32(cdbus_type_array),
      unsafe dbus_message_iter_get_element_type(&iterator) == Int32(cdbus_type_byte)
    else { return }
    inner { elements in
      var pointer: UnsafePointer<UInt8>?
      var count: Int32 = 0
      unsafe dbus_message_iter_get_fixed_array(&elements.iterator, &pointer, &count)
      guard let pointer = unsafe pointer else { return body(Span()) }
      // Safety: the bytes belong to the message, which outlives the call.
      unsafe body(Span(_unsafeStart: pointer, count: Int(count)))
    }
  }

  // MARK: Inside

  private mutating func inner<Result>(_ body: (inout ArgumentReader) -> Result) -> Result {
    var level = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&iterator, &level)
    var reader = unsafe ArgumentReader(level)
    return body(&reader)
  }

  private mutating func signature() -> String {
    guard let text = unsafe dbus_message_iter_get_signature(&iterator) else { return "" }
    defer { unsafe dbus_free(text) }
    return unsafe String(cString: text)
  }

  /// Reads a value of fixed size. `initial` only determines the type.
  private mutating func basic<Value: BitwiseCopyable>(_ initial: Value) -> Value {
    var value = initial
    unsafe dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private mutating func text() -> String {
    var pointer: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&iterator, &pointer)
    return unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }

  private mutating func byteArray() -> [UInt8] {
    var pointer: UnsafePointer<UInt8>?
    var count: Int32 = 0
    unsafe dbus_message_iter_get_fixed_array(&iterator, &pointer, &count)
    guard let pointer = unsafe pointer, count > 0 else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: pointer, count: Int(count)))
  }
}
