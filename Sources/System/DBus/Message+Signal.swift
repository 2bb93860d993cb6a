internal import CDBus

// Checks that run before a signal's values are decoded. They copy nothing.
extension Message {
  /// A hash of the interface and the member, used to find handlers.
  var signalKey: SignalKey {
    var key = SignalKey()
    // Safety: both strings are NUL-terminated and valid for the lifetime of the message.
    unsafe Self.add(dbus_message_get_interface(raw), to: &key)
    unsafe Self.add(dbus_message_get_member(raw), to: &key)
    return key
  }

  private static func add(_ text: UnsafePointer<CChar>?, to key: inout SignalKey) {
    guard var next = unsafe text else { return }
    while unsafe next.pointee != 0 {
      key.add(unsafe UInt8(bitPattern: next.pointee))
      unsafe next += 1
    }
  }

  func isSignal(_ member: String, of interface: String) -> Bool {
    unsafe dbus_message_is_signal(raw, interface, member) != 0
  }

  func isFrom(_ path: String) -> Bool {
    unsafe dbus_message_has_path(raw, path) != 0
  }

  /// Returns whether the first argument is a string equal to `text`.
  func beginsWith(_ text: String) -> Bool {
    var iterator = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return false }
    var reader = unsafe ArgumentReader(iterator)
    return reader.isText(text)
  }

  /// Passes a property's bytes to `body` if this `PropertiesChanged` signal contains them.
  public func withChangedBytes(of property: String, _ body: (Span<UInt8>) -> Void) {
    var iterator = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return }
    var reader = unsafe ArgumentReader(iterator)
    // The first argument is the interface to which the properties belong.
    reader.skip()
    reader.withBytes(at: property, body)
  }
}
