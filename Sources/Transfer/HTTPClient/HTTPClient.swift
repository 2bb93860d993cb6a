internal import CCurl
internal import Glibc
public import LinuxSystem
internal import Synchronization

/// Sends requests to servers with libcurl, on its own thread `transfer`.
///
/// Connections stay open and serve all requests of a client; over HTTP/2 they serve several at a
/// time. Certificates are always verified. Redirects are not followed: the answer contains their
/// target.
///
/// This reads the document at `address`:
///
///     let client = try HTTPClient()
///     let answer = try await client.perform(HTTPRequest("GET", address))
///     let text = answer.status == 200 ? String(decoding: answer.body, as: UTF8.self) : nil
public final class HTTPClient: HTTPExchange {
  private let mailbox: Mailbox<TransferLoop.Message>
  private let thread: NamedThread
  private let lastNumber = Atomic<UInt64>(0)

  /// Initialised once for the process, before the first handle.
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
            .failure(TransferError(.unreachable, "there is no memory for requests")))
        }
        return
      }
      loop.run()
    }
    self.mailbox = mailbox
  }

  deinit {
    // Never runs on the thread itself, which has no reference to this object; and it does not take
    // long.
    close()
  }

  /// Gives up all requests under way and ends the thread. Later requests fail as cancelled.
  public func close() {
    _ = mailbox.post(.end)
    thread.join()
  }

  /// The server's answer, whatever its status.
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
      // The flag goes first: the message may overtake the request, which then sees the flag.
      isCancelled.raise()
      _ = mailbox.post(.cancel(number))
    }
    return try result.get()
  }

  /// Checks a request before curl sees it.
  private static func server(of request: HTTPRequest) throws(TransferError) -> ServerName {
    guard let server = ServerName(url: request.url) else {
      throw TransferError(
        .impossible, "the address is not one of a server, or contains a user name",
        remedy: "use an address such as https://HOST/PATH, and keep secrets in files")
    }
    let isToken = { (text: String) in
      !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
    }
    // A line end within a value would begin another field, or another request.
    guard isToken(request.method),
      request.fields.allSatisfy({ field in
        isToken(field.name) && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 }
      })
    else {
      throw TransferError(
        .impossible, "a field of the request to \(server) contains invalid characters",
        remedy: "check that each token file contains a single line")
    }
    return server
  }
}
