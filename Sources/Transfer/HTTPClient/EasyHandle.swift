internal import CCurl

/// A curl handle that is reused for many requests. It does not own a connection: all requests of a
/// client share the same set of connections.
@safe
final class EasyHandle {
  /// Valid while this object exists.
  let pointer: UnsafeMutableRawPointer
  /// The buffer that receives curl's message about the last failure.
  private let words: UnsafeMutablePointer<CChar>

  /// Sets the options that all requests share. Returns `nil` if memory is insufficient.
  init?(_ options: HTTPClientOptions) {
    guard let pointer = unsafe curl_easy_init() else { return nil }
    unsafe self.pointer = pointer
    unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, words)
    // Without this option, curl changes the whole process's signal handlers.
    set(CURLOPT_NOSIGNAL, 1)
    // When a request is cancelled, a resolver that does not respond must not block the thread.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    // This constant is a number in newer curl headers and an enumeration case in older ones.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // An empty list enables all encodings that curl can decode.
    set(CURLOPT_ACCEPT_ENCODING, "")
    set(CURLOPT_USERAGENT, options.agent)
    set(CURLOPT_BUFFERSIZE, 16_384)
    set(CURLOPT_UPLOAD_BUFFERSIZE, 32_768)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(options.connectSeconds * 1_000))
    if let file = options.authorityFile {
      set(CURLOPT_CAINFO, file)
      unsafe ccurl_set_pointer(pointer, CURLOPT_CAPATH, nil)
    }
    if let file = options.certificateFile { set(CURLOPT_SSLCERT, file) }
    if let file = options.certificateKeyFile { set(CURLOPT_SSLKEY, file) }
    if let signer = options.signer {
      set(CURLOPT_AWS_SIGV4, "aws:amz:\(signer.region):\(signer.service)")
      set(CURLOPT_USERNAME, signer.keyID)
      set(CURLOPT_PASSWORD, signer.secret)
    }
    switch options.proxy {
    case .environment: set(CURLOPT_NOPROXY, options.directHosts)
    case .none: set(CURLOPT_PROXY, "")
    case .address(let address):
      set(CURLOPT_PROXY, address)
      set(CURLOPT_NOPROXY, "")
      if let file = options.authorityFile { set(CURLOPT_PROXY_CAINFO, file) }
    }
  }

  deinit {
    unsafe curl_easy_cleanup(pointer)
    unsafe words.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) {
    _ = unsafe ccurl_set_number(pointer, option, value)
  }

  func set(_ option: CURLoption, _ value: String) {
    _ = unsafe ccurl_set_text(pointer, option, value)
  }

  func number(_ info: CURLINFO) -> Int { unsafe ccurl_number(pointer, info) }

  /// Returns curl's message about the last failure. If there is none, returns curl's text for the
  /// error code.
  func reason(_ code: CURLcode) -> String {
    unsafe words.pointee == 0
      ? String(cString: curl_easy_strerror(code)) : unsafe String(cString: words)
  }

  /// Clears curl's message about the previous request.
  func forget() { unsafe words.pointee = 0 }
}
