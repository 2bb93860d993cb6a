internal import CMosquitto
internal import Values

// Safety, for the whole file: only one thread uses a client. The library calls back only while that
// thread is calling it, and only while this object, which owns the library's client, exists.

/// A single MQTT 3.1.1 connection to a broker. It is established once, used until it breaks, then
/// discarded.
///
/// The client never reconnects, because release 2.0.11 of the library would lose count of the
/// messages in flight. The client's owner polls `socket` and calls `turn`.
@safe
package final class MQTTClient {
  /// An event that occurred during a call to `begin` or `turn`.
  package enum Event: Sendable {
    /// The broker accepted the connection.
    case connected
    /// The broker rejected the connection with this return code.
    case refused(Int)
    /// The broker has received the message with this number.
    case published(Int32)
    /// The broker responded to a subscription. The value is `true` if the broker permits the
    /// subscription.
    case subscribed(Bool)
    /// A message arrived. Its payload is `nil` if larger than `largest`.
    case message(topic: String, payload: [UInt8]?, isRetained: Bool)
  }

  /// The maximum size of an accepted payload, in bytes.
  package static let largest = 64 << 10
  /// Seconds without traffic after which the library checks whether the connection is still
  /// working.
  private static let keepalive: Int32 = 20

  private static let isReady: Void = { mosquitto_lib_init() }()

  private var handle: OpaquePointer?
  fileprivate var events: [Event] = []

  /// Starts connecting to the host.
  package init(
    _ host: BrokerAddress.Host, isEncrypted: Bool, authorityFile: String?, user: String?,
    password: String?
  ) throws(BrokerFailure) {
    Self.isReady
    // Each connection uses a different client name, because a broker closes the older of two
    // connections with the same name.
    let name = "footbridge-" + String(Chance().next() >> 16, radix: 36)
    unsafe handle = mosquitto_new(name, true, Unmanaged.passUnretained(self).toOpaque())
    guard unsafe handle != nil else {
      throw BrokerFailure(
        "out of memory for a connection", remedy: "stop other programs to free memory")
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

  /// The socket to poll; -1 after the connection has ended.
  package var socket: Int32 { unsafe mosquitto_socket(handle) }

  /// Whether bytes are waiting to be written to the socket.
  package var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }

  /// Reads and writes as much as possible without blocking. Returns the events that occurred, or
  /// `nil` after the connection has ended.
  package func turn(isReadable: Bool) -> [Event]? {
    var failure: Int32 = 0
    if isReadable { failure = unsafe mosquitto_loop_read(handle, 1) }
    if failure == 0, socket >= 0, wantsToWrite { failure = unsafe mosquitto_loop_write(handle, 1) }
    if failure == 0 { failure = unsafe mosquitto_loop_misc(handle) }
    defer { events = [] }
    // A rejection ends the connection, but must be reported first.
    return failure == 0 || !events.isEmpty ? events : nil
  }

  /// Advances the connection while it is being established, with or without TLS. Returns the events
  /// that occurred, or `nil` after the connection has ended.
  package func begin() -> [Event]? {
    var failure = unsafe mosquitto_loop_read(handle, 1)
    if failure == 0 { failure = unsafe mosquitto_loop_write(handle, 1) }
    if failure == 0 { failure = unsafe mosquitto_loop_misc(handle) }
    defer { events = [] }
    return failure == 0 || !events.isEmpty ? events : nil
  }

  /// Publishes a retained message with QoS 1. Returns the message's number, or `nil` if it cannot
  /// be sent. An empty payload deletes the message that the broker retains.
  package func publish(_ payload: [UInt8], on topic: String) -> Int32? {
    var number: Int32 = 0
    let failure = unsafe payload.withUnsafeBytes { bytes in
      unsafe mosquitto_publish(
        handle, &number, topic, Int32(bytes.count), bytes.baseAddress, 1, true)
    }
    return failure == 0 ? number : nil
  }

  /// Returns `false` if the request cannot be sent. The broker's response arrives as an event.
  package func subscribe(to filter: String) -> Bool {
    unsafe mosquitto_subscribe(handle, nil, filter, 1) == 0
  }

  /// Sends DISCONNECT and closes the connection.
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
