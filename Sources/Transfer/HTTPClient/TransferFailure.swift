internal import CCurl
internal import Glibc
internal import Values

/// Details that curl reports about a request that received no response.
struct TransferFailure {
  var code: CURLcode
  /// curl's message. It names hosts and files, but contains no part of the request.
  var words: String
  var server: ServerName
  /// Whether curl had started to send the request.
  var hasBegun: Bool
  /// The system's error number, or 0 if there is none.
  var systemNumber: Int32 = 0
  /// OpenSSL's verification result for the server's certificate.
  var verdict: Int = 0
  /// The status code of the response in which a proxy rejected a tunnel, or 0.
  var proxyStatus: Int = 0
  var options: HTTPClientOptions

  var error: TransferError {
    switch code {
    case CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT:
      return TransferError(
        .impossible, "cannot send the request to \(server): \(words)",
        remedy: "check the address")
    case CURLE_COULDNT_RESOLVE_HOST:
      return TransferError(
        .unreachable, "cannot resolve the name '\(server.host)'",
        remedy: "check the name, and that the network and its name server work")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return TransferError(
        .unreachable, "cannot resolve the name of the proxy for \(server)",
        remedy: "check the proxy's name, and that the network works")
    case CURLE_PEER_FAILED_VERIFICATION: return distrust
    case CURLE_SSL_CACERT_BADFILE:
      return TransferError(
        .untrusted,
        "cannot read certificates from \(options.authorityFile ?? "the system's list")",
        remedy: options.authorityFile == nil
          ? "install the package ca-certificates, or name a file with --ca-file"
          : "check that --ca-file names a readable file of PEM certificates")
    case CURLE_SSL_CERTPROBLEM:
      return TransferError(
        .untrusted, "cannot use the client certificate \(options.certificateFile ?? ""): \(words)",
        remedy:
          "check that --certificate and --certificate-key name readable, matching PEM files"
      )
    case _ where proxyStatus >= 300:
      return TransferError(
        proxyStatus < 500 ? .untrusted : .unreachable,
        "the proxy rejected a tunnel to \(server) (status \(proxyStatus))",
        remedy: "check the proxy's address, and that it permits this server")
    case CURLE_PROXY, CURLE_COULDNT_CONNECT:
      let reason = systemNumber == 0 ? words : Self.kernelWords(systemNumber)
      return TransferError(
        .unreachable,
        "cannot connect to \(server)\(options.mayUseProxy ? " or its proxy" : ""): \(reason)",
        remedy: "check that the network works and the server is running")
    case CURLE_OPERATION_TIMEDOUT where !hasBegun:
      return TransferError(
        .unreachable,
        "no connection to \(server) within \(Self.seconds(options.connectSeconds))",
        remedy: "check that the network works and the server is running")
    case CURLE_UNSUPPORTED_PROTOCOL where !hasBegun:
      return TransferError(
        .impossible, "the address of \(server) begins with neither http:// nor https://",
        remedy: "check the address")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return TransferError(
        .interrupted, "the response from \(server) is not HTTP",
        remedy: "check the address and its port")
    default: return broken
    }
  }

  /// The error for a server whose certificate does not prove its identity.
  private var distrust: TransferError {
    let otherAuthority = "if your own authority signed it, name that authority with --ca-file"
    switch verdict {
    case 9:  // X509_V_ERR_CERT_NOT_YET_VALID
      var error = TransferError(
        .untrusted, "the certificate of \(server) is not valid yet",
        remedy: "check this computer's clock")
      error.isAboutTheClock = true
      return error
    case 10:  // X509_V_ERR_CERT_HAS_EXPIRED
      return TransferError(
        .untrusted, "the certificate of \(server) has expired",
        remedy: "check this computer's clock; if it is right, the server needs a new certificate")
    case 18, 19, 20, 21:  // self-signed, in a chain too, issuer unknown, chain incomplete
      return TransferError(
        .untrusted, "no trusted authority has signed the certificate of \(server)",
        remedy: otherAuthority)
    default:
      return TransferError(
        .untrusted, "the certificate of \(server) does not match: \(words)",
        remedy: "use the host name in the certificate;  " + otherAuthority)
    }
  }

  private var broken: TransferError {
    // With TLS 1.3, a server rejects a missing client certificate only after the client has
    // completed the handshake.
    if words.holds("alert") {
      return TransferError(
        .untrusted, "\(server) ended the handshake: \(Self.tail(words))",
        remedy: options.certificateFile == nil
          ? "if it requires a client certificate, add --certificate and --certificate-key"
          : "check that the server accepts the client certificate")
    }
    if words.holds("wrong version number") {
      return TransferError(
        .untrusted, "\(server) does not speak TLS", remedy: "try http:// in its address")
    }
    let reason =
      switch code {
      case CURLE_PARTIAL_FILE: "it was closed in the middle of the response"
      case CURLE_GOT_NOTHING: "it was closed without a response"
      case CURLE_OPERATION_TIMEDOUT: "it timed out"
      case _ where systemNumber != 0: Self.kernelWords(systemNumber)
      default: words
      }
    return TransferError(
      hasBegun ? .interrupted : .unreachable, "the connection to \(server) broke: \(reason)")
  }

  /// Returns OpenSSL's message without the numbers that precede it.
  private static func tail(_ words: String) -> String {
    let last = words.split(at: "::").last ?? Substring(words)
    return String(last.prefix { $0 != "," })
  }

  private static func kernelWords(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }

  static func seconds(_ count: Double) -> String {
    count == count.rounded() && count < 1e9 ? "\(Int(count)) s" : "\(count) s"
  }
}
