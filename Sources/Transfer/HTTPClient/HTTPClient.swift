internal import CCurl
internal import Glibc
public import LinuxSystem
internal import Synchronization

/// Sends HTTP requests with libcurl on a separate thread named `transfer`.
///
/// Connections stay open, and any request of the client can use them. Over HTTP/2, one connection
/// serves several requests concurrently. Certificates are always verified. Redirects are not
/// followed: the response contains their target.
///
/// This example fetches the document at the URL `address`:
///
///     let client = try HTTPClient()
///     let answer = try await client.perform(HTTPRequest("GET", address))
///     let text = answer.status == 200 ? String(decoding: answer.body, as: UTF8.self) : nil
public final class HTTPClient: HTTPExchange {
  private let mailbox: Mailbox<TransferLoop.Message>
  private let thread: NamedThread
  private let lastNumber = Atomic<UInt64>(0)

  /// Initialises libcurl once for the process, before the first handle is created.
  private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Starts the client's thread.
  public init(_ options: HTTPClientOptions = HTTPClientOptions()) throws(SystemError) {
    guard Self.isReady else { throw SystemError("start libcurl", number: ENOMEM) }
    let mailbox = try Mailbox<TransferLoop.Message>()
    thread = try NamedThread("transfer") {
      guard let loop = TransferLoop(mailbox, options) else {
        for message in mailbox.shut() {
          guard case .begin(let ticket) = message else { continue }
          ticket.reply.give(
            .failure(TransferError(.unreachable, "out of memory for requests")))
        }
        return
      }
      loop.run()
    }
    self.mailbox = mailbox
  }

  deinit {
    // This deinitialiser never runs on the client's own thread, because that thread does not refer
    // to this object. The thread ends quickly, so joining it takes little time.
    close()
  }

  /// Cancels all requests in progress and ends the thread. Later requests are cancelled at once.
  public func close() {
    _ = mailbox.post(.end)
    thread.join()
  }

  /// Sends a request and returns the server's response, regardless of its status.
  public func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    let server = try Self.server(of: request)
    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let isCancelled = StopFlag()
    let result = await withTaskCancellationHandler {
      await Reply<Result<HTTPResponse, TransferError>>.wait { reply in
        let ticket = TransferLoop.Ticket(
          number, request, to: server, isCancelled: isCancelled, reply: reply)
        if !mailbox.post(.begin(ticket)) {
          reply.give(.failure(TransferError(.cancelled, "the client was closed")))
        }
      }
    } onCancel: {
      // Set the flag first: if the cancel message overtakes the request, the request is still
      // recognised as cancelled.
      isCancelled.raise()
      _ = mailbox.post(.cancel(number))
    }
    return try result.get()
  }

  /// Checks a request before it is passed to curl. Returns the server's name.
  private static func server(of request: HTTPRequest) throws(TransferError) -> ServerName {
    guard let server = ServerName(url: request.url) else {
      throw TransferError(
        .impossible, "the address does not name a server, or contains a user name",
        remedy: "use an address such as https://HOST/PATH, and keep secrets in files")
    }
    let isToken = { (text: String) in
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
    }
    // A line break in a value would start another field or another request.
    guard isToken(request.method),
      request.fields.allSatisfy({ field in
        isToken(field.name) && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 }
      })
    else {
      throw TransferError(
        .impossible, "a header field in the request to \(server) contains invalid characters",
        remedy: "check that each token file contains a single line")
    }
    return server
  }
}
