internal import CCurl
internal import Glibc
internal import Values

/// The details that curl gives about a request without an answer.
struct TransferFailure {
  var code: CURLcode
  /// curl's message, which names hosts and files but contains nothing of the request.
  var words: String
  var server: ServerName
  /// Whether sending the request had begun.
  var hasBegun: Bool
  /// The kernel's error number, or 0.
  var systemNumber: Int32 = 0
  /// OpenSSL's verdict on the server's certificate.
  var verdict: Int = 0
  /// The status with which a proxy answered a request for a tunnel, or 0.
  var proxyStatus: Int = 0
  var options: HTTPClientOptions

  var error: TransferError {
    switch code {
    case CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT:
      return TransferError(
        .impossible, "the request to \(server) cannot be made: \(words)",
        remedy: "check the address")
    case CURLE_COULDNT_RESOLVE_HOST:
      return TransferError(
        .unreachable, "cannot resolve the name '\(server.host)'",
        remedy: "check the name, and that the network and its name server work")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return TransferError(
        .unreachable, "cannot resolve the name of the proxy on the way to \(server)",
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
        .untrusted, "cannot use our certificate \(options.certificateFile ?? ""): \(words)",
        remedy:
          "check that --certificate and --certificate-key name readable, matching PEM files"
      )
    case _ where proxyStatus >= 300:
      return TransferError(
        proxyStatus < 500 ? .untrusted : .unreachable,
        "the proxy refuses a tunnel to \(server) (status \(proxyStatus))",
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
        .interrupted, "the answer of \(server) is not HTTP",
        remedy: "check the address and its port")
    default: return broken
    }
  }

  /// The error for a certificate that does not prove the server's identity.
  private var distrust: TransferError {
    let otherAuthority = "if your own authority signed it, name that with --ca-file"
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

  /// The error for a connection that broke.
  private var broken: TransferError {
    // With TLS 1.3 a server asks for another certificate only after the handshake.
    if words.holds("alert") {
      return TransferError(
        .untrusted, "\(server) ended the handshake: \(Self.tail(words))",
        remedy: options.certificateFile == nil
          ? "if it requires a client certificate, add --certificate and --certificate-key"
          : "check that the server accepts our certificate")
    }
    if words.holds("wrong version number") {
      return TransferError(
        .untrusted, "\(server) does not speak TLS", remedy: "try http:// in its address")
    }
    let reason =
      switch code {
      case CURLE_PARTIAL_FILE: "it was closed in the middle of the answer"
      case CURLE_GOT_NOTHING: "it was closed without an answer"
      case CURLE_OPERATION_TIMEDOUT: "it timed out"
      case _ where systemNumber != 0: Self.kernelWords(systemNumber)
      default: words
      }
    return TransferError(
      hasBegun ? .interrupted : .unreachable, "the connection to \(server) broke: \(reason)")
  }

  /// OpenSSL's message without the numbers before it.
  private static func tail(_ words: String) -> String {
    let last = words.split(at: "::").last ?? Substring(words)
    return String(last.prefix { $0 != "," })
  }

  private static func kernelWords(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }

  /// A span of time, without a fraction if it is whole.
  static func seconds(_ count: Double) -> String {
    count == count.rounded() && count < 1e9 ? "\(Int(count)) s" : "\(count) s"
  }
}
