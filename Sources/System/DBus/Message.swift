internal import CDBus

// Safety: `raw` is an owned reference, which `deinit` releases.
/// A D-Bus message that releases its reference when destroyed.
///
/// Only this type, `ArgumentReader`, `ArgumentWriter` and `BusConnection` use libdbus's pointers.
@safe
public struct Message: ~Copyable {
  public enum Kind: Sendable {
    case call
    case reply
    /// The error reply to a method call.
    case error
    case signal
  }

  let raw: OpaquePointer

  /// Takes ownership of one reference to `raw`.
  init(owning raw: OpaquePointer) {
    unsafe self.raw = raw
  }

  deinit {
    unsafe dbus_message_unref(raw)
  }

  public init(_ call: BusCall) {
    let made = unsafe dbus_message_new_method_call(
      call.destination, call.path, call.interface, call.member)
    unsafe self.init(owning: Self.nonNull(made))
    unsafe dbus_message_set_auto_start(raw, call.startsService ? 1 : 0)
    append(call.arguments)
  }

  /// Creates a signal that goes to all subscribers.
  public init(_ signal: BusSignal) {
    let made = unsafe dbus_message_new_signal(signal.path, signal.interface, signal.member)
    unsafe self.init(owning: Self.nonNull(made))
    append(signal.arguments)
  }

  public borrowing func reply(_ arguments: [BusValue] = []) -> Message {
    let made = unsafe dbus_message_new_method_return(raw)
    let reply = unsafe Message(owning: Self.nonNull(made))
    reply.append(arguments)
    return reply
  }

  /// Returns an error reply to this call.
  public borrowing func failure(name: String, message: String) -> Message {
    unsafe Message(owning: Self.nonNull(dbus_message_new_error(raw, name, message)))
  }

  /// Creates an error reply to a call, given the call's serial number. Used when the call's message
  /// is no longer available.
  init(failureOf serial: UInt32, name: String, message: String, to caller: String) {
    unsafe self.init(owning: Self.nonNull(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR)))
    unsafe dbus_message_set_error_name(raw, name)
    unsafe dbus_message_set_reply_serial(raw, serial)
    unsafe dbus_message_set_destination(raw, caller)
    append([.string(message)])
  }

  /// `nil` for unknown types.
  public var kind: Kind? {
    switch unsafe dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
    case DBUS_MESSAGE_TYPE_ERROR: .error
    case DBUS_MESSAGE_TYPE_SIGNAL: .signal
    default: nil
    }
  }

  /// The serial number of the call to which this message replies.
  public var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }

  public var wantsReply: Bool { unsafe dbus_message_get_no_reply(raw) == 0 }

  /// The sender's unique bus name.
  public var sender: String { unsafe text(dbus_message_get_sender(raw)) }

  /// The receiver's bus name; empty if the message is a signal to all clients.
  var destination: String { unsafe text(dbus_message_get_destination(raw)) }

  public var path: String { unsafe text(dbus_message_get_path(raw)) }

  /// The interface; empty if the caller omitted it.
  public var interface: String { unsafe text(dbus_message_get_interface(raw)) }

  /// The method or signal name.
  public var member: String { unsafe text(dbus_message_get_member(raw)) }

  public var errorName: String { unsafe text(dbus_message_get_error_name(raw)) }

  /// Returns all arguments. Descriptors among them are duplicates.
  public borrowing func arguments() -> [BusValue] {
    var iterator = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return [] }
    var reader = unsafe ArgumentReader(iterator)
    return reader.readAll()
  }

  /// The signal in this message, with its decoded values.
  var signal: BusSignal {
    BusSignal(member, from: path, of: interface, arguments(), sender: sender)
  }

  private borrowing func append(_ arguments: [BusValue]) {
    var iterator = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(raw, &iterator)
    var writer = unsafe ArgumentWriter(iterator)
    for argument in arguments { writer.append(argument) }
  }

  private borrowing func text(_ pointer: UnsafePointer<CChar>?) -> String {
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }

  /// Unwraps a message from libdbus, which returns null only if memory runs out or a name is
  /// malformed. A malformed name is a bug.
  private static func nonNull(_ made: OpaquePointer?) -> OpaquePointer {
    guard let made = unsafe made else {
      preconditionFailure("out of memory for a D-Bus message, or a malformed name")
    }
    return unsafe made
  }
}
