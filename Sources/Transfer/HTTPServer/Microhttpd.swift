internal import CMicrohttpd
internal import Glibc
internal import LinuxSystem

// Safety, for the whole file: the library is called only on the server's thread. It calls back only
// on that thread, and only during such a call. The objects that the library refers to (the loop,
// connections, requests) are retained until it reports that it no longer needs them.

/// Wraps the functions of libmicrohttpd that the server's loop uses.
@safe
final class Microhttpd {
  /// Permits only TLS 1.2 and later (RFC 8996).
  private static let tls = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

  private var daemon: OpaquePointer?
  private var listening: OwnedDescriptor?
  private let identity: HTTPServer.Identity?
  private let limits: ServerLimits

  init(
    _ listening: consuming OwnedDescriptor, identity: HTTPServer.Identity?, limits: ServerLimits
  ) {
    self.listening = consume listening
    self.identity = identity
    self.limits = limits
  }

  /// Starts the library, and returns whether this succeeded. The loop must exist until `stop` has
  /// returned.
  func start(for loop: ServerLoop) -> Bool {
    guard let number = listening?.number else { return false }
    func start(_ certificate: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?) {
      var settings = unsafe cmicrohttpd_settings()
      unsafe settings.listening = number
      unsafe settings.connections = UInt32(limits.connections + Places.spare)
      unsafe settings.idle_seconds = UInt32(limits.idleSeconds)
      unsafe settings.connection_memory = limits.connectionMemory
      unsafe settings.certificate = certificate
      unsafe settings.key = key
      unsafe settings.context = Unmanaged.passUnretained(loop).toOpaque()
      unsafe settings.answer = answerCallback
      unsafe settings.completed = completedCallback
      unsafe settings.connection = connectionCallback
      unsafe Self.tls.withCString { tls in
        unsafe settings.tls = tls
        unsafe daemon = cmicrohttpd_start(&settings)
      }
    }
    if let identity {
      unsafe identity.certificate.withCString { certificate in
        unsafe identity.key.withCString { key in unsafe start(certificate, key) }
      }
    } else {
      start(nil, nil)
    }
    // If starting fails, the library may already have closed the socket, so this code must not
    // close the descriptor again.
    if unsafe daemon == nil { _ = listening.take()?.release() }
    return unsafe daemon != nil
  }

  /// The descriptor to poll. It becomes readable when the library has work to do.
  var descriptor: Int32 { unsafe cmicrohttpd_descriptor(daemon) }

  /// Seconds after which the library must run even if no event occurs; `nil` if it can wait for
  /// one.
  var patience: Double? {
    let milliseconds = unsafe cmicrohttpd_patience(daemon)
    return milliseconds < 0 ? nil : Double(milliseconds) / 1_000
  }

  /// Performs all pending work that does not block.
  func run() { _ = unsafe MHD_run(daemon) }

  /// Makes the library stop accepting connections.
  func quiesce() {
    guard listening != nil else { return }
    _ = unsafe MHD_quiesce_daemon(daemon)
    listening = nil
  }

  /// Stops the library and closes all its connections.
  func stop() {
    quiesce()
    unsafe MHD_stop_daemon(daemon)
    unsafe daemon = nil
  }

  func resume(_ request: ServerRequest) {
    guard let connection = unsafe request.connection else { return }
    unsafe request.connection = nil
    unsafe MHD_resume_connection(connection)
  }
}

private let yes = cmicrohttpd_result(1)
private let no = cmicrohttpd_result(0)

/// Copies a request's head from the library.
private func receivedHead(
  _ method: UnsafePointer<CChar>, _ path: UnsafePointer<CChar>, _ version: String,
  of connection: OpaquePointer?
) -> ReceivedHead {
  var fields: [RequestHead.Field] = []
  let isPlain = unsafe withUnsafeMutablePointer(to: &fields) { fields in
    unsafe cmicrohttpd_each_field(connection, method, appendField, fields)
  }
  var query: [RequestHead.Field] = []
  unsafe withUnsafeMutablePointer(to: &query) { query in
    unsafe cmicrohttpd_each_argument(connection, appendField, query)
  }
  return unsafe ReceivedHead(
    head: RequestHead(
      String(cString: method), String(cString: path), fields: fields, query: query),
    version: version, size: cmicrohttpd_head_size(connection), isPlain: isPlain != 0)
}

/// Appends a header field or query parameter to the list that the context points to.
private let appendField:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?
  ) -> Void = { (fields, name, value) in
    guard let fields = unsafe fields?.assumingMemoryBound(to: [RequestHead.Field].self),
      let name = unsafe name, let value = unsafe value
    else { return }
    unsafe fields.pointee.append(RequestHead.Field(String(cString: name), String(cString: value)))
  }

/// Passes a response to the library.
private func queue(
  _ request: ServerRequest, _ loop: ServerLoop, on connection: ServerConnection,
  _ handle: OpaquePointer?
) -> MHD_Result {
  guard let response = request.response else { return no }
  let made =
    if request.stream != nil {
      unsafe cmicrohttpd_stream(
        nextCallback,
        Unmanaged.passRetained(StreamingRequest(request, loop, handle)).toOpaque(),
        { context in
          guard let context = unsafe context else { return }
          unsafe Unmanaged<StreamingRequest>.fromOpaque(context).release()
        })
    } else {
      unsafe response.body.withUnsafeBytes { bytes in
        unsafe cmicrohttpd_response(bytes.baseAddress, bytes.count)
      }
    }
  guard let made = unsafe made else { return no }
  defer { unsafe MHD_destroy_response(made) }
  for field in response.fields {
    _ = unsafe MHD_add_response_header(made, field.name, field.value)
  }
  loop.gives(request, on: connection)
  return unsafe MHD_queue_response(handle, UInt32(response.status), made)
}

/// A request whose response is a stream. The library refers to this object until the stream ends.
@safe
private final class StreamingRequest {
  let request: ServerRequest
  let loop: ServerLoop
  let handle: OpaquePointer?

  init(_ request: ServerRequest, _ loop: ServerLoop, _ handle: OpaquePointer?) {
    self.request = request
    self.loop = loop
    unsafe self.handle = handle
  }
}

/// Called when the client can receive more bytes of a stream.
private let nextCallback: MHD_ContentReaderCallback = { (context, _, buffer, room) in
  guard let context = unsafe context, let buffer = unsafe buffer else {
    return cmicrohttpd_end_of_stream()
  }
  let streaming = unsafe Unmanaged<StreamingRequest>.fromOpaque(context).takeUnretainedValue()
  guard !streaming.loop.isStopping, let bytes = streaming.request.stream?.next(upTo: room) else {
    return streaming.request.stream?.isBroken ?? false
      ? cmicrohttpd_broken_stream() : cmicrohttpd_end_of_stream()
  }
  precondition(bytes.count <= room, "a stream returned more bytes than requested")
  if bytes.isEmpty {
    unsafe streaming.request.connection = streaming.handle
    unsafe MHD_suspend_connection(streaming.handle)
  } else {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawPointer(buffer).copyMemory(
        from: bytes.baseAddress ?? UnsafeRawPointer(buffer), byteCount: bytes.count)
    }
  }
  return bytes.count
}

private func loop(_ context: UnsafeMutableRawPointer?) -> ServerLoop? {
  unsafe context.map { unsafe Unmanaged<ServerLoop>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(of handle: OpaquePointer?) -> ServerConnection? {
  unsafe cmicrohttpd_context(handle).map {
    unsafe Unmanaged<ServerConnection>.fromOpaque($0).takeUnretainedValue()
  }
}

/// Called when a head has arrived, for each piece of a body, at the end of a body, and when a
/// suspended request continues.
private let answerCallback: MHD_AccessHandlerCallback = {
  (context, handle, path, method, version, bytes, count, kept) in
  guard let loop = unsafe loop(context), let path = unsafe path, let method = unsafe method,
    let count = unsafe count, let kept = unsafe kept,
    let connection = unsafe connection(of: handle)
  else { return no }
  guard let known = unsafe kept.pointee else {
    let version = unsafe version.map { unsafe String(cString: $0) } ?? ""
    let head = unsafe receivedHead(method, path, version, of: handle)
    let request = loop.begin(head, on: connection)
    unsafe kept.pointee = Unmanaged.passRetained(request).toOpaque()
    guard request.isRefusedEarly else { return yes }
    connection.endsEarly = true
    return unsafe queue(request, loop, on: connection, handle)
  }
  let request = unsafe Unmanaged<ServerRequest>.fromOpaque(known).takeUnretainedValue()
  if unsafe count.pointee > 0 {
    let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count.pointee)
    guard unsafe loop.take(piece, of: request, on: connection) else { return no }
    unsafe count.pointee = 0
    return yes
  }
  guard request.response != nil else {
    unsafe request.connection = handle
    unsafe MHD_suspend_connection(handle)
    loop.hand(request, on: connection)
    return yes
  }
  return request.isAnswered ? yes : unsafe queue(request, loop, on: connection, handle)
}

/// Called when a request ends, successfully or not.
private let completedCallback: MHD_RequestCompletedCallback = { (context, handle, kept, _) in
  guard let loop = unsafe loop(context), let known = unsafe kept?.pointee else { return }
  let request = unsafe Unmanaged<ServerRequest>.fromOpaque(known).takeRetainedValue()
  unsafe kept?.pointee = nil
  unsafe loop.end(request, on: connection(of: handle))
}

/// Called when a connection opens and when it closes.
private let connectionCallback: MHD_NotifyConnectionCallback = { (context, handle, kept, what) in
  guard let loop = unsafe loop(context), let kept = unsafe kept else { return }
  if cmicrohttpd_is_opening(what) != 0 {
    let connection = unsafe loop.opened(
      socket: cmicrohttpd_socket(handle), client: cmicrohttpd_client(handle))
    unsafe kept.pointee = Unmanaged.passRetained(connection).toOpaque()
  } else if let known = unsafe kept.pointee {
    let connection = unsafe Unmanaged<ServerConnection>.fromOpaque(known).takeRetainedValue()
    unsafe kept.pointee = nil
    loop.closed(connection)
  }
}
