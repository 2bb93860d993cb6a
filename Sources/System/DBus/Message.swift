internal import CDBus

// Safety: `raw` is one owned reference, released in `deinit`.
/// One message of the bus, owned: it unrefs itself.
///
/// Only this type, `ArgumentReader`, `ArgumentWriter` and `BusConnection` use libdbus's pointers.
@safe
public struct Message: ~Copyable {
  /// The type of a message.
  public enum Kind: Sendable {
    /// Calls a method of an object.
    case call
    /// Answers a call.
    case reply
    /// Answers a call with an error.
    case error
    /// A signal to all listeners.
    case signal
  }

  let raw: OpaquePointer

  /// Takes over one reference.
  init(owning raw: OpaquePointer) {
    unsafe self.raw = raw
  }

  deinit {
    unsafe dbus_message_unref(raw)
  }

  /// A method call.
  public init(_ call: BusCall) {
    let made = unsafe dbus_message_new_method_call(
      call.destination, call.path, call.interface, call.member)
    unsafe self.init(owning: Self.nonNull(made))
    unsafe dbus_message_set_auto_start(raw, call.startsService ? 1 : 0)
    append(call.arguments)
  }

  /// A signal to be sent to all listeners.
  public init(_ signal: BusSignal) {
    let made = unsafe dbus_message_new_signal(signal.path, signal.interface, signal.member)
    unsafe self.init(owning: Self.nonNull(made))
    append(signal.arguments)
  }

  /// The answer to this call.
  public borrowing func reply(_ arguments: [BusValue] = []) -> Message {
    let made = unsafe dbus_message_new_method_return(raw)
    let reply = unsafe Message(owning: Self.nonNull(made))
    reply.append(arguments)
    return reply
  }

  /// The error answer to this call.
  public borrowing func failure(name: String, message: String) -> Message {
    unsafe Message(owning: Self.nonNull(dbus_message_new_error(raw, name, message)))
  }

  /// An error answer to a call known only by its serial.
  init(failureOf serial: UInt32, name: String, message: String, to caller: String) {
    unsafe self.init(owning: Self.nonNull(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR)))
    unsafe dbus_message_set_error_name(raw, name)
    unsafe dbus_message_set_reply_serial(raw, serial)
    unsafe dbus_message_set_destination(raw, caller)
    append([.string(message)])
  }

  /// The type of the message; `nil` for unknown types.
  public var kind: Kind? {
    switch unsafe dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
    case DBUS_MESSAGE_TYPE_ERROR: .error
    case DBUS_MESSAGE_TYPE_SIGNAL: .signal
    default: nil
    }
  }

  /// The serial of the call that this message answers.
  public var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }

  /// Whether the caller wants an answer.
  public var wantsReply: Bool { unsafe dbus_message_get_no_reply(raw) == 0 }

  /// Unique bus name of the sender.
  public var sender: String { unsafe text(dbus_message_get_sender(raw)) }

  /// Bus name of the receiver; empty for signals to all.
  var destination: String { unsafe text(dbus_message_get_destination(raw)) }

  /// Object path.
  public var path: String { unsafe text(dbus_message_get_path(raw)) }

  /// Interface; empty where the caller left it out.
  public var interface: String { unsafe text(dbus_message_get_interface(raw)) }

  /// Method or signal name.
  public var member: String { unsafe text(dbus_message_get_member(raw)) }

  public var errorName: String { unsafe text(dbus_message_get_error_name(raw)) }

  /// All arguments. Descriptors among them are duplicates.
  public borrowing func arguments() -> [BusValue] {
    var iterator = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(raw, &iterator) != 0 else { return [] }
    var reader = unsafe ArgumentReader(iterator)
    return reader.readAll()
  }

  /// The message as a signal with its values.
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

  /// libdbus returns null only if memory is out or a name is malformed, which is a program error.
  private static func nonNull(_ made: OpaquePointer?) -> OpaquePointer {
    guard let made = unsafe made else {
      preconditionFailure("a D-Bus message needs well-formed names")
    }
    return unsafe made
  }
}
