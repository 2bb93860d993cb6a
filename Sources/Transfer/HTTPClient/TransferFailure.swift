internal import CCurl
internal import Glibc
internal import Values

/// The details that curl gives about a request without an answer.
struct TransferFailure {
  /// The code from curl.
  var code: CURLcode
  /// The message from curl, which names hosts and files but nothing of a request.
  var words: String
  /// The server.
  var server: ServerName
  /// Whether the request had begun to be sent.
  var hasBegun: Bool
  /// The kernel's error number, or 0.
  var systemNumber: Int32 = 0
  /// OpenSSL's verdict on the server's certificate.
  var verdict: Int = 0
  /// The status of a proxy that was asked for a tunnel, or 0.
  var proxyStatus: Int = 0
  /// The client's options.
  var options: HTTPClientOptions

  /// The error in our words.
  var error: TransferError {
    switch code {
    case CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT:
      return TransferError(
        .impossible, "the request to \(server) cannot be made: \(words)",
        remedy: "see that the address is right")
    case CURLE_COULDNT_RESOLVE_HOST:
      return TransferError(
        .unreachable, "there is no address for '\(server.host)'",
        remedy: "see that the name is right and that the network and its name service work")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return TransferError(
        .unreachable, "there is no address for the proxy on the way to \(server)",
        remedy: "see that the proxy's name is right and that the network works")
    case CURLE_PEER_FAILED_VERIFICATION: return distrust
    case CURLE_SSL_CACERT_BADFILE:
      return TransferError(
        .untrusted,
        "cannot read certificates from \(options.authorityFile ?? "the system's list")",
        remedy: options.authorityFile == nil
          ? "install the package ca-certificates, or name a file with --ca-file"
          : "give --ca-file a readable file of certificates in PEM")
    case CURLE_SSL_CERTPROBLEM:
      return TransferError(
        .untrusted, "cannot use our certificate \(options.certificateFile ?? ""): \(words)",
        remedy:
          "give --certificate and --certificate-key readable files in PEM that belong together"
      )
    case _ where proxyStatus >= 300:
      return TransferError(
        proxyStatus < 500 ? .untrusted : .unreachable,
        "the proxy does not let us through to \(server): it answered \(proxyStatus)",
        remedy: "see that the proxy is the right one and may be used")
    case CURLE_PROXY, CURLE_COULDNT_CONNECT:
      let reason = systemNumber == 0 ? words : Self.kernelWords(systemNumber)
      return TransferError(
        .unreachable,
        "cannot connect to \(server)\(options.mayUseProxy ? " or its proxy" : ""): \(reason)",
        remedy: "see that the network works and that the server runs")
    case CURLE_OPERATION_TIMEDOUT where !hasBegun:
      return TransferError(
        .unreachable,
        "no connection to \(server) within \(Self.seconds(options.connectSeconds))",
        remedy: "see that the network works and that the server runs")
    case CURLE_UNSUPPORTED_PROTOCOL where !hasBegun:
      return TransferError(
        .impossible, "the address of \(server) is none of http:// or https://",
        remedy: "see that the address is right")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return TransferError(
        .interrupted, "the answer of \(server) is not HTTP",
        remedy: "see that the address and its port are right")
    default: return broken
    }
  }

  /// The error for a certificate that does not prove the server's identity.
  private var distrust: TransferError {
    let otherAuthority = "if it is signed by an authority of your own, name that with --ca-file"
    switch verdict {
    case 9:  // X509_V_ERR_CERT_NOT_YET_VALID
      var error = TransferError(
        .untrusted, "the certificate of \(server) is not valid yet",
        remedy: "see that this computer's clock is right")
      error.isAboutTheClock = true
      return error
    case 10:  // X509_V_ERR_CERT_HAS_EXPIRED
      return TransferError(
        .untrusted, "the certificate of \(server) has expired",
        remedy: "see that this computer's clock is right; otherwise the server needs a new one")
    case 18, 19, 20, 21:  // self-signed, in a chain too, issuer unknown, chain incomplete
      return TransferError(
        .untrusted, "no trusted authority has signed the certificate of \(server)",
        remedy: otherAuthority)
    default:
      return TransferError(
        .untrusted, "the certificate of \(server) does not fit: \(words)",
        remedy: "use the name that the certificate was made for; " + otherAuthority)
    }
  }

  /// The error for a connection that broke.
  private var broken: TransferError {
    // With TLS 1.3 a server asks for another certificate only after the handshake.
    if words.holds("alert") {
      return TransferError(
        .untrusted, "\(server) ended the handshake: \(Self.tail(words))",
        remedy: options.certificateFile == nil
          ? "if it wants a certificate of ours, name that with --certificate and --certificate-key"
          : "see that our certificate is one that it accepts")
    }
    if words.holds("wrong version number") {
      return TransferError(
        .untrusted, "\(server) does not speak TLS", remedy: "see whether its address has http://")
    }
    let reason =
      switch code {
      case CURLE_PARTIAL_FILE: "it ended within the answer"
      case CURLE_GOT_NOTHING: "it ended without an answer"
      case CURLE_OPERATION_TIMEDOUT: "nothing more came"
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
