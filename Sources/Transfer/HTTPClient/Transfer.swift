internal import CCurl
internal import LinuxSystem

/// A request in progress. It is used only on the transfer thread.
///
/// curl invokes callbacks to fetch bytes to send and to deliver received bytes, but only while this
/// thread is calling curl.
@safe
final class Transfer {
  /// The request's number within its client.
  let number: UInt64
  let handle: EasyHandle
  let reply: Reply<Result<HTTPResponse, TransferError>>
  private let request: HTTPRequest
  private let server: ServerName
  private let options: HTTPClientOptions
  /// The client's rate limit, which all of its requests share; `nil` for no limit.
  private let allowance: SharedAllowance?
  private var fieldList: UnsafeMutablePointer<curl_slist>?

  private var sent = 0
  private var response = HTTPResponse(status: 0)
  /// Whether curl has connected and started to send the request.
  private var hasBegun = false
  private var isTooLarge = false
  /// Whether the last response had a complete head. curl accepts a truncated head as a response.
  private var isHeadWhole = false
  /// Whether the transfer is paused by the rate limit.
  private(set) var isPaused = false
  /// Whether bytes were transferred since the last check.
  private var hasMoved = true
  private var lastMoveNanoseconds: UInt64 = 0
  /// The lowest number of unacknowledged bytes since bytes were last sent.
  private var leastUnacknowledged = Int32.max
  private var sentBefore = 0
  /// The transfer's progress at the last check.
  private var progressBefore = -1
  private var lastProgressNanoseconds: UInt64 = 0
  /// The number of response bytes received, including heads.
  private var received = 0
  /// Whether the last response began before the complete request was sent.
  private var isEarly = false

  /// The number of response bytes after which the response timeout restarts.
  private static let answerPortion = 1_024

  init(
    _ number: UInt64, _ request: HTTPRequest, to server: ServerName, handle: EasyHandle,
    options: HTTPClientOptions, allowance: SharedAllowance?,
    reply: Reply<Result<HTTPResponse, TransferError>>
  ) {
    self.number = number
    self.request = request
    self.server = server
    self.handle = handle
    self.options = options
    self.allowance = allowance
    self.reply = reply
    prepare()
  }

  deinit {
    unsafe curl_slist_free_all(fieldList)
  }

  // MARK: Options for curl

  private func prepare() {
    handle.forget()
    handle.set(CURLOPT_URL, request.url)
    // Over TLS, a second request waits to see whether it can share a connection, instead of opening
    // another. Without TLS, no connection can be shared, and the second request would only wait for
    // the first response.
    handle.set(CURLOPT_PIPEWAIT, server.isEncrypted ? 1 : 0)
    // This option also resets the previous request's body settings.
    handle.set(CURLOPT_HTTPGET, 1)
    if request.method == "HEAD" {
      handle.set(CURLOPT_NOBODY, 1)
    } else if request.bodyCount > 0 || ["PUT", "POST", "PATCH"].contains(request.method) {
      handle.set(CURLOPT_UPLOAD, 1)
      unsafe ccurl_set_size(
        handle.pointer, CURLOPT_INFILESIZE_LARGE, curl_off_t(request.bodyCount))
    }
    handle.set(CURLOPT_CUSTOMREQUEST, request.method)
    for field in request.fields {
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    // Remove the field `Expect`: waiting for a 100 response would take a round trip for each large
    // body, and a whole second if the server ignores the field. Signed requests keep the field: S3
    // responds at once, and libcurl before 8 would sign the field even if it is removed.
    if options.signer == nil { append("Expect:") }
    unsafe ccurl_set_list(handle.pointer, CURLOPT_HTTPHEADER, fieldList)
    // Safety: the loop retains this object while curl uses the handle, and makes no calls on a
    // handle after removing it from curl.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    for option in [
      CURLOPT_READDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
    ] {
      unsafe ccurl_set_pointer(handle.pointer, option, context)
    }
    unsafe ccurl_set_bytes_callback(handle.pointer, CURLOPT_READFUNCTION) {
      buffer, size, count, context in
      guard let buffer = unsafe buffer, let context = unsafe context else { return 0 }
      return unsafe Transfer.at(context).read(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }
    unsafe ccurl_set_bytes_callback(handle.pointer, CURLOPT_WRITEFUNCTION) {
      bytes, size, count, context in
      guard let context = unsafe context else { return 0 }
      return unsafe Transfer.at(context).take(
        UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    unsafe ccurl_set_bytes_callback(handle.pointer, CURLOPT_HEADERFUNCTION) {
      bytes, size, count, context in
      guard let context = unsafe context else { return 0 }
      return unsafe Transfer.at(context).takeLine(
        UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    unsafe ccurl_set_seek_callback(handle.pointer) { context, offset, origin in
      guard let context = unsafe context, origin == 0 else { return CURL_SEEKFUNC_CANTSEEK }
      unsafe Transfer.at(context).sent = Int(offset)
      return CURL_SEEKFUNC_OK
    }
    unsafe ccurl_set_start_callback(handle.pointer) { context, _, _, _, _ in
      guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
      unsafe Transfer.at(context).begin()
      return CURL_PREREQFUNC_OK
    }
  }

  private func append(_ line: String) {
    unsafe fieldList = curl_slist_append(fieldList, line)
  }

  // MARK: Callbacks from curl

  private static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
    unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  private func begin() {
    hasBegun = true
    hasMoved = true
    // The head's size is only estimated, because curl adds some fields itself.
    allowance?.owe(
      request.fields.reduce(120 + request.url.utf8.count) {
        $0 + $1.name.utf8.count + $1.value.utf8.count + 4
      })
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = min(buffer.count, request.bodyCount - sent)
    guard count > 0 else { return 0 }
    if let allowance {
      count = allowance.take(count)
      guard count > 0 else {
        isPaused = true
        return Int(CURL_READFUNC_PAUSE)
      }
    }
    if let file = request.file {
      // A disk error ends the request.
      guard unsafe file.read(at: sent, into: .init(rebasing: buffer[..<count])) == count else {
        return Int(CURL_READFUNC_ABORT)
      }
    } else {
      unsafe request.body.withUnsafeBytes { body in
        unsafe buffer.copyMemory(from: .init(rebasing: body[sent..<(sent + count)]))
      }
    }
    sent += count
    hasMoved = true
    return count
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    hasMoved = true
    received += bytes.count
    guard response.body.count + bytes.count <= options.largestAnswer else {
      isTooLarge = true
      return 0
    }
    if response.body.isEmpty, let size = response["content-length"].flatMap({ Int($0) }),
      size <= options.largestAnswer
    {
      response.body.reserveCapacity(size)
    }
    unsafe response.body.append(contentsOf: bytes)
    return bytes.count
  }

  private func takeLine(_ bytes: UnsafeRawBufferPointer) -> Int {
    hasMoved = true
    received += bytes.count
    let line = unsafe String(decoding: bytes, as: UTF8.self)
    if line.hasPrefix("HTTP/") {
      // Discard the fields of an interim response, such as a 100, that arrived first.
      response.fields.removeAll(keepingCapacity: true)
      isHeadWhole = false
      isEarly = sent < request.bodyCount
    } else if line == "\r\n" || line == "\n" {
      isHeadWhole = true
    } else if let field = HTTPRequest.Field(line: line) {
      // The number of header fields is limited, like the body size, because a server might
      // otherwise send fields endlessly.
      guard response.fields.count < 1_000 else {
        isTooLarge = true
        return 0
      }
      response.fields.append(field)
    }
    return bytes.count
  }

  // MARK: Calls from the loop

  func resume() {
    isPaused = false
    _ = unsafe curl_easy_pause(handle.pointer, CURLPAUSE_CONT)
  }

  /// Returns the error for a transfer that must be cancelled, either because it has stalled or
  /// because the response is arriving too slowly. Returns `nil` while the transfer makes progress.
  ///
  /// The kernel may still be sending bytes that it has accepted. In that case, the number of
  /// unacknowledged bytes falls. A rising number only shows that other requests use the same
  /// connection.
  func stall(at nanoseconds: UInt64) -> TransferError? {
    // curl itself limits the time for connecting. A request is not stalled while curl holds it back
    // until another request is complete.
    guard hasBegun else { return nil }
    if sent != sentBefore { leastUnacknowledged = .max }
    let unacknowledged = unsafe ccurl_unacknowledged(handle.pointer)
    let isDraining = unacknowledged >= 0 && unacknowledged < leastUnacknowledged
    if isDraining { leastUnacknowledged = unacknowledged }
    let progress = sent + received / Self.answerPortion
    if hasMoved || isPaused || isDraining || lastMoveNanoseconds == 0 {
      lastMoveNanoseconds = nanoseconds
    }
    if progress != progressBefore || isPaused || isDraining {
      lastProgressNanoseconds = nanoseconds
    }
    (hasMoved, sentBefore, progressBefore) = (false, sent, progress)
    func isOver(_ seconds: Double, since start: UInt64) -> Bool {
      Double(nanoseconds - start) * 1e-9 >= seconds
    }
    if isOver(options.stallSeconds, since: lastMoveNanoseconds) {
      return TransferError(
        .interrupted,
        "no data was exchanged with \(server) for "
          + TransferFailure.seconds(options.stallSeconds),
        remedy: "check that the network works and the server is running")
    }
    guard isOver(options.answerSeconds, since: lastProgressNanoseconds) else { return nil }
    return TransferError(
      .interrupted,
      "the response from \(server) was not complete within "
        + TransferFailure.seconds(options.answerSeconds),
      remedy: "check the address")
  }

  /// Called after curl has ended the transfer.
  func result(_ code: CURLcode) -> Result<HTTPResponse, TransferError> {
    if code == CURLE_OK, isHeadWhole {
      response.status = handle.number(CURLINFO_RESPONSE_CODE)
      guard isEarly, (200..<300).contains(response.status) else { return .success(response) }
      // This may be a late response to an earlier request, because this request has not been sent
      // completely.
      return .failure(
        TransferError(
          .interrupted, "\(server) ended its response before the request was complete",
          remedy: "check for an intermediate proxy that mixes up responses"))
    }
    if isTooLarge {
      return .failure(
        TransferError(
          .interrupted,
          "the response from \(server) or its head is longer than \(options.largestAnswer) bytes",
          remedy: "check the address"))
    }
    let failure = TransferFailure(
      code: code == CURLE_OK ? CURLE_PARTIAL_FILE : code, words: handle.reason(code),
      server: server, hasBegun: hasBegun,
      systemNumber: Int32(truncatingIfNeeded: handle.number(CURLINFO_OS_ERRNO)),
      verdict: handle.number(CURLINFO_SSL_VERIFYRESULT),
      proxyStatus: handle.number(CURLINFO_HTTP_CONNECTCODE), options: options)
    return .failure(failure.error)
  }
}

extension HTTPRequest.Field {
  /// Returns `nil` for the empty line that ends the head and for malformed lines.
  init?(line: String) {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0d, 0x0a]
    var value = line.utf8[line.utf8.index(after: colon)...]
    value = value.drop { blanks.contains($0) }
    while let last = value.last, blanks.contains(last) { value = value.dropLast() }
    self.init(line[..<colon].lowercased(), String(Substring(value)))
  }
}

/// The rate limit that a loop's transfers share. It uses the time at which the loop last read the
/// clock.
final class SharedAllowance {
  private var allowance: Allowance
  private var nanoseconds: UInt64

  init(bytesPerSecond: Int, at nanoseconds: UInt64) {
    allowance = Allowance(bytesPerSecond: bytesPerSecond, at: nanoseconds)
    self.nanoseconds = nanoseconds
  }

  func take(_ wanted: Int) -> Int { allowance.take(wanted, at: nanoseconds) }

  func owe(_ count: Int) { allowance.owe(count) }

  func wait(at nanoseconds: UInt64) -> UInt64 {
    self.nanoseconds = nanoseconds
    return allowance.wait(at: nanoseconds)
  }
}
