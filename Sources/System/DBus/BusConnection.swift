internal import CDBus
internal import LinuxSystem

public enum BusAddress: Hashable, Sendable {
  /// The system bus, or the bus named by `DBUS_SYSTEM_BUS_ADDRESS`.
  case system
  /// A bus at an explicit address, such as `unix:path=/tmp/bus`.
  case at(String)
  case inProcess(InProcessBus)
}

// Safety: the pointer is a private connection. Only the thread that owns this object uses it.
/// A private connection to a bus. Exactly one thread uses it and polls its descriptor.
///
/// Apart from `own`, no method blocks. The owner polls `descriptor`, calls `transfer()`, and then
/// calls `next()` until it returns `nil`. Replies arrive as ordinary messages.
@safe
public final class BusConnection {
  // Safety: the connection owns the pointer.
  @safe private enum Way {
    case socket(OpaquePointer)
    case inProcess(InProcessBus, InProcessBus.Member)
  }

  private let way: Way
  /// The file descriptor that the owner must poll.
  public let descriptor: Int32

  /// Connects to a bus and registers with it.
  public convenience init(_ address: BusAddress) throws(BusError) {
    switch address {
    case .system, .at: try self.init(over: address)
    case .inProcess(let bus): try self.init(to: bus)
    }
  }

  private init(to bus: InProcessBus) throws(BusError) {
    do throws(SystemError) {
      let member = try bus.join()
      way = .inProcess(bus, member)
      descriptor = member.bell.number
    } catch {
      throw .disconnected("\(error)")
    }
  }

  private init(over address: BusAddress) throws(BusError) {
    dbus_threads_init_default()
    var failure = unsafe DBusError()
    unsafe dbus_error_init(&failure)
    defer { unsafe dbus_error_free(&failure) }
    let operation: String
    let opened: OpaquePointer?
    switch address {
    case .system:
      operation = "connect to the system bus"
      unsafe opened = dbus_bus_get_private(DBUS_BUS_SYSTEM, &failure)
    case .at(let text):
      operation = "connect to the bus at \(text)"
      unsafe opened = dbus_connection_open_private(text, &failure)
      if let opened = unsafe opened { unsafe dbus_bus_register(opened, &failure) }
    case .inProcess:
      preconditionFailure("a bus in this process has no socket")
    }
    let error = unsafe Self.error(in: &failure, operation)
    guard let connection = unsafe opened else {
      throw error ?? .disconnected(operation)
    }
    // Without this call, libdbus ends the process when the bus disconnects.
    unsafe dbus_connection_set_exit_on_disconnect(connection, 0)
    var number: Int32 = -1
    if let error {
      unsafe Self.close(connection)
      throw error
    }
    guard unsafe dbus_connection_get_unix_fd(connection, &number) != 0 else {
      unsafe Self.close(connection)
      throw .disconnected(operation)
    }
    unsafe way = .socket(connection)
    descriptor = number
  }

  /// The maximum number of attempts to send queued messages before the connection is closed. Each
  /// attempt takes at most `offerMilliseconds`.
  private static let lastOffers = 10
  private static let offerMilliseconds: Int32 = 100

  deinit {
    switch way {
    case .inProcess(let bus, let member):
      bus.leave(member)
    case .socket(let raw):
      // `dbus_connection_flush` would wait forever for a bus that does not respond.
      for _ in 0..<Self.lastOffers where hasOutgoing && isConnected {
        unsafe dbus_connection_read_write(raw, Self.offerMilliseconds)
      }
      unsafe Self.close(raw)
    }
  }

  /// Whether messages are waiting for space in the socket. If so, the owner must also poll the
  /// descriptor for writability.
  public var hasOutgoing: Bool {
    switch way {
    case .inProcess: false
    case .socket(let raw): unsafe dbus_connection_has_messages_to_send(raw) != 0
    }
  }

  public var isConnected: Bool {
    switch way {
    case .inProcess(_, let member): member.isConnected
    case .socket(let raw): unsafe dbus_connection_get_is_connected(raw) != 0
    }
  }

  /// Claims a well-known name. Throws if another client owns it.
  public func own(_ name: String) throws(BusError) {
    let operation = "own the name \(name)"
    let isOwner: Bool
    switch way {
    case .inProcess(let bus, let member):
      isOwner = bus.own(name, by: member)
    case .socket(let raw):
      var failure = unsafe DBusError()
      unsafe dbus_error_init(&failure)
      defer { unsafe dbus_error_free(&failure) }
      let outcome = unsafe dbus_bus_request_name(
        raw, name, UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE), &failure)
      if let error = unsafe Self.error(in: &failure, operation) { throw error }
      isOwner = outcome == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER
    }
    guard isOwner else {
      throw BusError(
        name: "org.freedesktop.DBus.Error.NameExists", message: "another program owns it",
        operation: operation)
    }
  }

  /// Queues a message and returns its serial number. The message is written to the socket now or
  /// during a later `transfer()`.
  @discardableResult
  public func send(_ message: borrowing Message) -> UInt32 {
    switch way {
    case .inProcess(let bus, let member):
      return bus.send(message, from: member)
    case .socket(let raw):
      var serial: dbus_uint32_t = 0
      let queued = unsafe dbus_connection_send(raw, message.raw, &serial)
      precondition(queued != 0, "out of memory for a D-Bus message")
      return serial
    }
  }

  /// Sends and receives as many bytes as the socket allows without blocking.
  public func transfer() {
    if case .socket(let raw) = way { unsafe dbus_connection_read_write(raw, 0) }
  }

  /// Removes and returns the next received message.
  public func next() -> Message? {
    switch way {
    case .inProcess(_, let member):
      return member.next()
    case .socket(let raw):
      guard let message = unsafe dbus_connection_pop_message(raw) else { return nil }
      return unsafe Message(owning: message)
    }
  }

  /// libdbus requires a private connection to be closed before its last reference is released.
  private static func close(_ connection: OpaquePointer) {
    unsafe dbus_connection_close(connection)
    unsafe dbus_connection_unref(connection)
  }

  private static func error(in failure: inout DBusError, _ operation: String) -> BusError? {
    guard unsafe dbus_error_is_set(&failure) != 0 else { return nil }
    let name = unsafe failure.name.map { unsafe String(cString: $0) } ?? ""
    let message = unsafe failure.message.map { unsafe String(cString: $0) } ?? ""
    return BusError(name: name, message: message, operation: operation)
  }
}
