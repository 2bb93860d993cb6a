internal import CDBus
internal import LinuxSystem

/// Appends arguments to a message.
// Safety: the iterator points into a message, which the caller retains while writing.
@safe
struct ArgumentWriter {
  private var iterator: DBusMessageIter

  init(_ iterator: DBusMessageIter) {
    unsafe self.iterator = unsafe iterator
  }

  mutating func append(_ value: BusValue) {
    switch value {
    case .byte(let value): basic(cdbus_type_byte, value)
    case .boolean(let value): basic(cdbus_type_boolean, dbus_bool_t(value ? 1 : 0))
    case .int16(let value): basic(cdbus_type_int16, value)
    case .uint16(let value): basic(cdbus_type_uint16, value)
    case .int32(let value): basic(cdbus_type_int32, value)
    case .uint32(let value): basic(cdbus_type_uint32, value)
    case .int64(let value): basic(cdbus_type_int64, value)
    case .uint64(let value): basic(cdbus_type_uint64, value)
    case .double(let value): basic(cdbus_type_double, value)
    case .string(let text): append(text, as: cdbus_type_string)
    case .objectPath(let text): append(text, as: cdbus_type_object_path)
    case .signature(let text): append(text, as: cdbus_type_signature)
    case .descriptor(let box): append(box)
    case .bytes(let bytes):
      within(cdbus_type_array, "y") { $0.append(bytes) }
    case .array(let element, let values):
      within(cdbus_type_array, element) { level in
        for value in values { level.append(value) }
      }
    case .dictionary(let key, let value, let entries):
      within(cdbus_type_array, "{\(key)\(value)}") { level in
        for entry in entries {
          level.within(cdbus_type_dict_entry, nil) { pair in
            pair.append(entry.key)
            pair.append(entry.value)
          }
        }
      }
    case .structure(let fields):
      within(cdbus_type_struct, nil) { level in
        for field in fields { level.append(field) }
      }
    case .variant(let inner):
      within(cdbus_type_variant, inner.signature) { $0.append(inner) }
    }
  }

  private mutating func basic<Value: BitwiseCopyable>(_ type: Int, _ value: Value) {
    var value = value
    let appended = unsafe dbus_message_iter_append_basic(&iterator, Int32(type), &value)
    precondition(appended != 0, "out of memory for a D-Bus argument")
  }

  private mutating func append(_ text: String, as type: Int) {
    unsafe text.withCString { pointer in
      var pointer: UnsafePointer<CChar>? = unsafe pointer
      let appended = unsafe dbus_message_iter_append_basic(&iterator, Int32(type), &pointer)
      precondition(appended != 0, "D-Bus rejects '\(text)' as an argument of this type")
    }
  }

  private mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      var start = buffer.baseAddress
      let appended = unsafe dbus_message_iter_append_fixed_array(
        &iterator, Int32(cdbus_type_byte), &start, Int32(buffer.count))
      precondition(appended != 0, "out of memory for a D-Bus argument")
    }
  }

  /// libdbus duplicates the descriptor, and the original is closed at the end of this call.
  private mutating func append(_ box: DescriptorBox) {
    guard let descriptor = box.take() else {
      preconditionFailure("a descriptor can only be sent once")
    }
    basic(cdbus_type_unix_fd, descriptor.number)
  }

  private mutating func within(
    _ type: Int, _ signature: String?, _ body: (inout ArgumentWriter) -> Void
  ) {
    var level = unsafe DBusMessageIter()
    let opened = unsafe dbus_message_iter_open_container(
      &iterator, Int32(type), signature, &level)
    precondition(opened != 0, "out of memory for a D-Bus argument")
    var writer = unsafe ArgumentWriter(level)
    body(&writer)
    unsafe level = writer.iterator
    unsafe dbus_message_iter_close_container(&iterator, &level)
  }
}
