public import HTTPServer
public import LinuxSystem
internal import Values

/// Serves the page and its API (`docs/api.openapi.yaml`) to paired browsers.
///
///     let handler = try PageHandler(content, access, version: "1.0.0")
///     let server = try HTTPServer(at: address, limits: PageHandler.limits, handler: handler)
public final class PageHandler: RequestHandler {
  private let content: any PageContent
  private let access: PageAccess
  private let version: String
  private let files: PageFiles
  private let pages: OpenPages
  private let thread: PageThread
  private let isDiagnosing = Guarded(false)

  /// Connection limits that are sufficient for the browsers used at a trailhead.
  public static var limits: ServerLimits {
    var limits = ServerLimits()
    limits.connections = 64
    // A browser opens up to six connections in parallel.
    limits.connectionsPerClient = 24
    // Unpaired clients that send slowly must give up their connections quickly, so that phones can
    // connect.
    limits.firstHeadSeconds = 4
    limits.bodySeconds = 10
    limits.stopSeconds = 0.5
    limits.body = 64 << 10
    // An event stream sends up to half of `connectionMemory` at once. It occupies this memory as
    // long as the page is open, so `connectionMemory` is small.
    limits.head = 8 << 10
    limits.connectionMemory = 20 << 10
    limits.bodies = 4 << 20
    return limits
  }

  public init(
    _ content: any PageContent, _ access: PageAccess, version: String
  ) throws(SystemError) {
    self.content = content
    self.access = access
    self.version = version
    files = PageFiles()
    pages = try OpenPages(content) { access.devices.isStillPaired($0) }
    thread = try PageThread(content)
  }

  /// Ends all streams and then the handler's threads. Stop the server only afterwards.
  public func stop() {
    pages.stop()
    thread.stop()
    content.stop()
    try? access.devices.keepSightings()
  }

  // MARK: Requests

  /// Refuses requests that come from other sites, that lack the necessary rights, or whose
  /// addresses do not exist.
  public func refusal(of head: RequestHead) -> ServerResponse? {
    do throws(PageFault) {
      try check(head)
      return nil
    } catch {
      return secured(PageResponse.fault(error), .answer)
    }
  }

  /// Returns whether the browser is not paired, or no longer paired.
  public func isFromStranger(_ head: RequestHead) -> Bool { access.device(of: head) == nil }

  private func check(_ head: RequestHead) throws(PageFault) {
    let isCall = PageRoute.isCall(head.path)
    do throws(AccessRefusal) {
      try access.check(head, isCall: isCall)
    } catch {
      // If the address does not support this method, report that instead.
      switch error {
      case .unknownMethod, .notJSON: try checkMethod(of: head)
      default: break
      }
      throw access.fault(error)
    }
    if isCall, let role = PageRoute.role(for: head) {
      guard let device = access.device(of: head) else { throw access.fault(.notPaired) }
      guard device.role.covers(role) else { throw access.fault(.onlyLooks) }
    }
    try checkMethod(of: head)
  }

  private func checkMethod(of head: RequestHead) throws(PageFault) {
    if let methods = PageRoute.methods(of: head.path), !methods.contains(head.method) {
      throw .wrongMethod(methods.joined(separator: ", "))
    }
  }

  /// Handles a request that was not refused.
  public func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
    let isFile = !PageRoute.isCall(head.path)
    if isFile { return reply.give(secured(files.answer(head), .page)) }
    do throws(PageFault) {
      switch (head.method, PageRoute.name(of: head.path)) {
      case ("POST", "pair"): try pair(PageQuestion.object(body), from: head.client, reply)
      case ("POST", "leave"): leave(head, reply)
      case ("POST", _): try ask(PageQuestion(head, body: body), head, reply)
      case (_, "access"): reply.give(secured(greeting(head), .answer))
      case (_, "stream"): try follow(head, reply)
      case (_, "live"): try followFleet(head, reply)
      case (_, "status"): reply.give(secured(PageResponse.json(content.status()), .answer))
      case (_, "doctor"): try diagnose(reply)
      default: try ask(PageQuestion(head, body: body), head, reply)
      }
    } catch {
      reply.give(secured(PageResponse.fault(error), .answer))
    }
  }

  /// Returns the response to a request that the server itself refuses.
  public func refusal(for reason: ServerRefusal) -> ServerResponse {
    let fault =
      switch reason {
      case .ambiguous(let why): PageFault(400, why)
      case .headTooLarge: PageFault(431, "the request head is too long")
      case .bodyTooLarge:
        PageFault(
          413,
          "a body may have at most \(Self.limits.body) bytes, or \(Self.limits.strangerBody) from a "
            + "browser that is not paired")
      case .busy: PageFault(503, "too many requests", remedy: "try again in a second")
      case .stopping: PageFault.isEnding
      }
    return secured(PageResponse.fault(fault), .answer)
  }

  private func ask(
    _ question: PageQuestion, _ head: RequestHead, _ reply: PendingReply
  ) throws(PageFault) {
    guard let device = access.device(of: head) else { throw access.fault(.notPaired) }
    let answer = PendingAnswer(reply, self.secured) { [access] in
      access.devices.isStillPaired(device)
    }
    try post(.question(question, answer))
  }

  private func post(_ job: PageThread.Job) throws(PageFault) {
    guard thread.post(job) else { throw .isEnding }
  }

  // MARK: Access

  private func greeting(_ head: RequestHead) -> ServerResponse {
    let device = access.device(of: head)
    return PageResponse.json([
      "role": .string(device?.role.rawValue ?? "none"), "name": (device?.name).json,
      "gateway": content.gateway.json, "kind": content.kind.rawValue.json,
      "live": content.isLive.json, "version": version.json, "tiles": content.hasMap.json,
    ])
  }

  private func pair(
    _ body: JSON, from client: ClientAddress, _ reply: PendingReply
  ) throws(PageFault) {
    guard let pin = body["pin"]?.text else {
      throw PageFault(400, "'pin' is missing, or is not a string of six digits")
    }
    let name = body["name"]?.text ?? ""
    try post(
      .errand(
        { [access] () throws(PageFault) in
          let (role, cookie) = try access.pair(pin, name, from: client)
          var response = PageResponse.json(["role": role.rawValue.json])
          response.fields.append(RequestHead.Field("Set-Cookie", cookie))
          return response
        }, PendingAnswer(reply, self.secured)))
  }

  private func leave(_ head: RequestHead, _ reply: PendingReply) {
    let device = access.device(of: head)
    let errand: @Sendable () throws(PageFault) -> ServerResponse = {
      [access] () throws(PageFault) in
      if let device { try access.forget(device) }
      var response = PageResponse.json([:])
      response.fields.append(
        RequestHead.Field(
          "Set-Cookie", SessionCookie.clearing(isEncrypted: access.isEncrypted)))
      return response
    }
    try? post(.errand(errand, PendingAnswer(reply, self.secured)))
  }

  // MARK: Responses that take some time

  private func follow(_ head: RequestHead, _ reply: PendingReply) throws(PageFault) {
    guard let stream = pages.open(for: access.device(of: head)) else {
      throw PageFault(
        503, "\(OpenPages.most) pages are already open", remedy: "close the page on another phone")
    }
    reply.give(secured(PageResponse.events, .answer), stream)
  }

  private func followFleet(_ head: RequestHead, _ reply: PendingReply) throws(PageFault) {
    guard content.kind == .fleet else {
      throw PageFault(
        404, "this is not a fleet page",
        remedy: "open the page that 'footbridge-fleet receive' serves")
    }
    guard let device = access.device(of: head) else { throw access.fault(.notPaired) }
    guard content.isLive else {
      throw PageFault(
        404, "this upload server does not follow the gateways",
        remedy: "add '--live' with a broker to 'footbridge-fleet receive'")
    }
    guard let events = content.fleetEvents() else {
      throw PageFault(
        503, "too many pages are open", remedy: "close the page on another phone", after: 10)
    }
    reply.give(
      secured(PageResponse.events, .answer),
      PairedStream(events) { [access] in access.devices.isStillPaired(device) })
  }

  private func diagnose(_ reply: PendingReply) throws(PageFault) {
    let isFirst = isDiagnosing.withLock { isDiagnosing in
      defer { isDiagnosing = true }
      return !isDiagnosing
    }
    guard isFirst else {
      throw PageFault(503, "the doctor is already running", remedy: "try again in five seconds")
    }
    Task { [content] in
      let findings = await content.diagnosis()
      isDiagnosing.withLock { $0 = false }
      reply.give(self.secured(PageResponse.json(findings), .answer))
    }
  }

  @Sendable private func secured(
    _ response: ServerResponse, _ content: SecurityHeaders.Content
  ) -> ServerResponse {
    var response = response
    response.fields += SecurityHeaders.fields(for: content).map { RequestHead.Field($0, $1) }
    return response
  }
}

extension PageFault {
  static let isEnding = PageFault(503, "the gateway is stopping")
}
