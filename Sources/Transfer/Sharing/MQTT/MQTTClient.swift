internal import CMosquitto
internal import Values

// Safety, for the whole file: a client is used by one thread. The library calls back only from
// within a call of that thread, and only while this object lives, which owns it.

/// One connection to a broker, by MQTT 3.1.1: made, used until it breaks, and dropped.
///
/// It never reconnects: release 2.0.11 of the library then loses count of the messages under way.
/// Its owner waits for `socket` and calls `turn`.
@safe
package final class MQTTClient {
  /// An event during a turn.
  package enum Event: Sendable {
    /// The broker accepted the connection.
    case connected
    /// The broker rejected it, with this return code.
    case refused(Int)
    /// The broker has received the message with this number.
    case published(Int32)
    /// The broker answered a subscription; whether it permits it.
    case subscribed(Bool)
    /// A message; without its payload if that is larger than `largest`.
    case message(topic: String, payload: [UInt8]?, isRetained: Bool)
  }

  /// Largest payload that is read, in bytes.
  package static let largest = 64 << 10
  /// Seconds without traffic after which the connection is probed.
  private static let keepalive: Int32 = 20

  private static let isReady: Void = { mosquitto_lib_init() }()

  private var handle: OpaquePointer?
  fileprivate var events: [Event] = []

  /// Begins to connect to a host.
  package init(
    _ host: BrokerAddress.Host, isEncrypted: Bool, authorityFile: String?, user: String?,
    password: String?
  ) throws(BrokerFailure) {
    Self.isReady
    // Each connection has its own client name: of two with the same, a broker ends the older one.
    let name = "footbridge-" + String(Chance().next() >> 16, radix: 36)
    unsafe handle = mosquitto_new(name, true, Unmanaged.passUnretained(self).toOpaque())
    guard unsafe handle != nil else {
      throw BrokerFailure("there is no memory for a connection", remedy: "stop other programs")
    }
    unsafe mosquitto_connect_callback_set(handle) { unsafe client($1)?.answered(Int($2)) }
    unsafe mosquitto_publish_callback_set(handle) {
      unsafe client($1)?.events.append(.published($2))
    }
    unsafe mosquitto_subscribe_callback_set(handle) { (_, context, _, count, granted) in
      let isGranted = (0..<Int(count)).allSatisfy { (unsafe granted?[$0] ?? 0x80) < 0x80 }
      unsafe client(context)?.events.append(.subscribed(isGranted))
    }
    unsafe mosquitto_message_callback_set(handle) { unsafe client($1)?.came($2) }
    if let user { unsafe mosquitto_username_pw_set(handle, user, password) }
    if isEncrypted, unsafe cmosquitto_encrypt(handle, authorityFile) != 0 {
      throw BrokerFailure(
        "cannot read certificates from \(authorityFile ?? "/etc/ssl/certs")",
        remedy: authorityFile == nil
          ? "install the package ca-certificates" : "check that this is a file of PEM certificates")
    }
    let failure = unsafe mosquitto_connect_async(
      handle, host.name, Int32(host.port), Self.keepalive)
    switch mosq_err_t(rawValue: failure) {
    case MOSQ_ERR_SUCCESS: break
    case MOSQ_ERR_TLS: throw .untrusted(host)
    case MOSQ_ERR_EAI: throw .unreachable(host, "its name cannot be resolved")
    default: throw .unreachable(host, Self.words(failure))
    }
  }

  deinit {
    unsafe mosquitto_destroy(handle)
  }

  private static func words(_ failure: Int32) -> String {
    unsafe mosquitto_strerror(failure).map { unsafe String(cString: $0) } ?? "\(failure)"
  }

  /// The socket to wait for; -1 once the connection is gone.
  package var socket: Int32 { unsafe mosquitto_socket(handle) }

  /// Whether data wait to be written.
  package var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }

  /// Reads and writes whatever is possible without waiting. Returns the events, or `nil` once the
  /// connection is gone.
  package func turn(isReadable: Bool) -> [Event]? {
    var failure: Int32 = 0
    if isReadable { failure = unsafe mosquitto_loop_read(handle, 1) }
    if failure == 0, socket >= 0, wantsToWrite { failure = unsafe mosquitto_loop_write(handle, 1) }
    if failure == 0 { failure = unsafe mosquitto_loop_misc(handle) }
    defer { events = [] }
    // A rejection ends the connection, and is reported first.
    return failure == 0 || !events.isEmpty ? events : nil
  }

  /// Drives the connection while it is being made: reads and writes, encrypted or not.
  package func begin() -> [Event]? {
    var failure = unsafe mosquitto_loop_read(handle, 1)
    if failure == 0 { failure = unsafe mosquitto_loop_write(handle, 1) }
    if failure == 0 { failure = unsafe mosquitto_loop_misc(handle) }
    defer { events = [] }
    return failure == 0 || !events.isEmpty ? events : nil
  }

  /// Publishes a retained message with QoS 1. Returns its number; `nil` if it cannot be sent. An
  /// empty one deletes the message that the broker retains.
  package func publish(_ payload: [UInt8], on topic: String) -> Int32? {
    var number: Int32 = 0
    let failure = unsafe payload.withUnsafeBytes { bytes in
      unsafe mosquitto_publish(
        handle, &number, topic, Int32(bytes.count), bytes.baseAddress, 1, true)
    }
    return failure == 0 ? number : nil
  }

  /// Subscribes to a filter.
  package func subscribe(to filter: String) -> Bool {
    unsafe mosquitto_subscribe(handle, nil, filter, 1) == 0
  }

  /// Disconnects in order.
  package func disconnect() {
    _ = unsafe mosquitto_disconnect(handle)
    _ = turn(isReadable: false)
  }

  fileprivate func answered(_ answer: Int) {
    events.append(answer == 0 ? .connected : .refused(answer))
  }

  fileprivate func came(_ message: UnsafePointer<mosquitto_message>?) {
    guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
    let count = unsafe Int(message.payloadlen)
    var payload: [UInt8]?
    if count <= Self.largest {
      payload = unsafe Array(UnsafeRawBufferPointer(start: message.payload, count: count))
    }
    events.append(
      .message(
        topic: unsafe String(cString: topic), payload: payload, isRetained: unsafe message.retain))
  }
}

private func client(_ context: UnsafeMutableRawPointer?) -> MQTTClient? {
  unsafe context.map { unsafe Unmanaged<MQTTClient>.fromOpaque($0).takeUnretainedValue() }
}
