internal import HTTPClient
internal import UploadProtocol
internal import LinuxSystem
internal import Values

/// Makes authenticated calls to one Firestore database.
struct FirestoreAccess: Sendable {
  let database: FirestoreDatabase
  private let base: String
  private let signIn: any SignIn
  private let exchange: any HTTPExchange
  private let pack: FirestorePacking?
  /// Whether to compress bodies. This becomes `false` once the server has rejected a compressed
  /// body and accepted it uncompressed.
  private let takesPacked = Guarded(true)
  private let commits = Guarded(Commits())

  private struct Commits {
    var count = 0
    /// The last commit's time, as reported by the server.
    var lastTime: String?
  }

  /// Prepares access to a database, or to the emulator that `endpoints` names.
  init(
    _ database: FirestoreDatabase, endpoints: FirestoreEndpoints, signIn: any SignIn,
    over exchange: any HTTPExchange, pack: FirestorePacking? = nil
  ) {
    self.database = database
    self.pack = pack
    base = endpoints.firestore
    self.signIn = signIn
    self.exchange = exchange
  }

  /// Returns the signed-in user's name, as used in documents. Returns `nil` if the sign-in response
  /// does not contain it.
  func account() async throws(FirestoreFailure) -> String? {
    do throws(Setback) { return try await signIn.token().account } catch { throw .setback(error) }
  }

  /// The number of commits that the database has executed.
  var commitCount: Int { commits.withLock { $0.count } }

  /// Applies either all changes or none of them.
  func commit(_ writes: [FirestoreWrite]) async throws(FirestoreFailure) {
    let json = try await call(
      "POST", "\(base)\(database.root):commit", FirestoreWrite.body(writes, of: database))
    // A status of 200 is not enough: other servers return it too, and a late response may belong to
    // the previous commit. Each commit has a different time, which shows whether the response
    // belongs to this commit.
    guard json["writeResults"]?.list?.count == writes.count, let time = json["commitTime"]?.text
    else { throw Self.unreadable }
    let isNew = commits.withLock { commits in
      guard commits.lastTime != time else { return false }
      commits.lastTime = time
      commits.count += 1
      return true
    }
    guard isNew else { throw Self.unreadable }
  }

  /// Reads these fields of a document, or all fields if `fields` is empty.
  func read(_ path: [String], fields: [String]) async throws(FirestoreFailure) -> FirestoreDocument
  {
    let mask = fields.map { "mask.fieldPaths=\(PercentEncoding.encode($0))" }.joined(separator: "&")
    let json = try await call(
      "GET",
      "\(base)\(database.root)/" + path.map { PercentEncoding.encode($0) }.joined(separator: "/")
        + (mask.isEmpty ? "" : "?\(mask)"))
    guard let document = database.document(json), document.path == path else {
      throw Self.unreadable
    }
    return document
  }

  /// Reads a document's fields in REST form, including fields of unknown types.
  func fields(of path: [String]) async throws(FirestoreFailure) -> [String: JSON] {
    let json = try await call(
      "GET",
      "\(base)\(database.root)/" + path.map { PercentEncoding.encode($0) }.joined(separator: "/"))
    guard json["name"]?.text.flatMap(database.path) == path else { throw Self.unreadable }
    guard case .object(let fields)? = json["fields"] else { return [:] }
    return fields
  }

  /// Reads several documents. Documents that do not exist are omitted from the result.
  func read(_ paths: [[String]]) async throws(FirestoreFailure) -> [FirestoreDocument] {
    try await fields(of: paths).compactMap { found in
      [FirestoreField](.object(found.fields)).map {
        FirestoreDocument(path: found.path, fields: $0)
      }
    }
  }

  /// Reads the fields of several documents in their REST form. Documents that do not exist are
  /// omitted from the result.
  func fields(of paths: [[String]]) async throws(FirestoreFailure) -> [RESTDocument] {
    var body = JSONBytes()
    body.append(#"{"documents":["#)
    for (position, path) in paths.enumerated() {
      if position > 0 { body.append(",") }
      body.append(quoted: database.name(path))
    }
    body.append("]}")
    return try documents(
      "found", in: await call("POST", "\(base)\(database.root):batchGet", body.bytes))
  }

  /// Returns the documents that match a query, except those with a field of an unknown type.
  func query(_ query: FirestoreQuery) async throws(FirestoreFailure) -> [FirestoreDocument] {
    try await found(query).compactMap { found in
      found.fields.map { FirestoreDocument(path: found.path, fields: $0) }
    }
  }

  /// Returns the documents that match a query, sorted by name. Each request returns at most `page`
  /// of them. Documents with a field of an unknown type are omitted.
  func query(
    _ query: FirestoreQuery, page: Int
  ) async throws(FirestoreFailure) -> [FirestoreDocument] {
    var (query, documents): (FirestoreQuery, [FirestoreDocument]) = (query, [])
    (query.order, query.limit) = ("__name__", page)
    while true {
      let found = try await found(query)
      documents += found.compactMap { found in
        found.fields.map { FirestoreDocument(path: found.path, fields: $0) }
      }
      guard found.count >= page, let last = found.last else { return documents }
      let next = FirestoreValue.reference(database.name(last.path))
      // A server that ignores `after` would send the same page again and again.
      guard query.after != next else { throw Self.unreadable }
      query.after = next
    }
  }

  /// Returns the paths and fields of the documents that match a query. A document's fields are
  /// `nil` if one of them has an unknown type.
  func found(
    _ query: FirestoreQuery
  ) async throws(FirestoreFailure) -> [(path: [String], fields: [FirestoreField]?)] {
    try await fields(of: query).map { ($0.path, [FirestoreField](.object($0.fields))) }
  }

  /// Returns the documents that match a query, with their fields in REST form.
  func fields(of query: FirestoreQuery) async throws(FirestoreFailure) -> [RESTDocument] {
    try documents("document", in: await response(to: query))
  }

  /// Returns the documents that match a query, and the time at which the database read them.
  func dated(
    _ query: FirestoreQuery
  ) async throws(FirestoreFailure) -> (documents: [RESTDocument], time: UTCTime) {
    let json = try await response(to: query)
    // If no document matches, the response contains only the time.
    let times = json.list?.compactMap { $0["readTime"]?.text }
    guard let time = times?.first.flatMap({ UTCTime(iso8601: $0) }) else { throw Self.unreadable }
    return (try documents("document", in: json), time)
  }

  private func response(to query: FirestoreQuery) async throws(FirestoreFailure) -> JSON {
    let parent = query.parent.map { "/" + PercentEncoding.encode($0) }.joined()
    return try await call("POST", "\(base)\(database.root)\(parent):runQuery", query.body)
  }

  /// A document's path and fields. The fields may include values of unknown types.
  typealias RESTDocument = (path: [String], fields: [String: JSON])

  /// Returns the documents in the response to a streaming call. The documents are in the member
  /// named `member` of the response's elements.
  private func documents(
    _ member: String, in json: JSON
  ) throws(FirestoreFailure) -> [RESTDocument] {
    guard let answers = json.list else { throw Self.unreadable }
    return answers.compactMap { answer in
      guard let document = answer[member],
        let path = document["name"]?.text.flatMap(database.path),
        case .object(let fields) = document["fields"] ?? .object([:])
      else { return nil }
      return (path, fields)
    }
  }

  private static let unreadable = FirestoreFailure.setback(
    Setback(.unavailable, "the response does not come from Firestore"))

  private func call(
    _ method: String, _ url: String, _ body: [UInt8] = []
  ) async throws(FirestoreFailure) -> JSON {
    var isSecond = false
    while true {
      let token: BearerToken
      do throws(Setback) { token = try await signIn.token() } catch { throw .setback(error) }
      let response = try await send(method, url, token, body)
      guard let failure = FirestoreFailure(response, now: BootClock.systemTime()) else {
        // A truncated response does not show whether the call succeeded.
        guard let json = try? JSON(parsing: response.body) else { throw Self.unreadable }
        if let failure = FirestoreFailure(streamed: json) { throw failure }
        return json
      }
      guard case .unauthenticated = failure, !isSecond else { throw failure }
      isSecond = true
      signIn.reject(token)
    }
  }
}

extension FirestoreAccess {
  /// The minimum size, in bytes, of a body that is worth compressing.
  private static let leastPacked = 1_024

  /// Sends a body, compressed if enabled. Firestore does not document compressed requests, so the
  /// body is sent again uncompressed after a 400 or 415. If that succeeds, later bodies are not
  /// compressed either.
  private func send(
    _ method: String, _ url: String, _ token: BearerToken, _ body: [UInt8]
  ) async throws(FirestoreFailure) -> HTTPResponse {
    guard let pack, body.count >= Self.leastPacked, takesPacked.withLock({ $0 }),
      let packed = pack(body)
    else { return try await send(method, url, token, body, coding: nil) }
    let response = try await send(method, url, token, packed, coding: "gzip")
    guard [400, 415].contains(response.status) else { return response }
    let plain = try await send(method, url, token, body, coding: nil)
    if (200..<300).contains(plain.status) { takesPacked.withLock { $0 = false } }
    return plain
  }

  private func send(
    _ method: String, _ url: String, _ token: BearerToken, _ body: [UInt8], coding: String?
  ) async throws(FirestoreFailure) -> HTTPResponse {
    var fields = [HTTPRequest.Field("Authorization", "Bearer \(token.text)")]
    if !body.isEmpty { fields.append(HTTPRequest.Field("Content-Type", "application/json")) }
    if let coding { fields.append(HTTPRequest.Field("Content-Encoding", coding)) }
    do throws(TransferError) {
      var response = try await exchange.perform(
        HTTPRequest(method, url, fields: fields, body: body))
      // Only error responses are redacted. The content of documents must not change.
      if !(200..<300).contains(response.status) { response.conceal(Secret(token.text)) }
      return response
    } catch {
      throw FirestoreFailure(error)
    }
  }
}

/// A query for documents.
struct FirestoreQuery: Hashable, Sendable {
  /// The path of the document that contains the collection; empty for a collection at the root.
  var parent: [String] = []
  var collection: String
  /// The fields that documents must have, with their required values.
  var equal: [FirestoreField] = []
  /// The field to sort the results by; `nil` to leave them unsorted.
  var order: String?
  var isDescending = false
  /// Results start after this value of the field that `order` names; `nil` for all results.
  var after: FirestoreValue?
  /// The fields to return; empty for all fields.
  var fields: [String] = []
  /// The maximum number of documents; `nil` for no limit.
  var limit: Int?

  var body: [UInt8] {
    var text = JSONBytes()
    text.append(#"{"structuredQuery":{"from":[{"collectionId":"#)
    text.append(quoted: collection)
    text.append("}]")
    if !fields.isEmpty {
      text.append(#","select":{"fields":["#)
      for (position, field) in fields.enumerated() {
        if position > 0 { text.append(",") }
        text.append(#"{"fieldPath":"#)
        text.append(quoted: field)
        text.append("}")
      }
      text.append("]}")
    }
    if !equal.isEmpty {
      text.append(#","where":{"compositeFilter":{"op":"AND","filters":["#)
      for (position, field) in equal.enumerated() {
        if position > 0 { text.append(",") }
        text.append(#"{"fieldFilter":{"op":"EQUAL","field":{"fieldPath":"#)
        text.append(quoted: field.name)
        text.append(#"},"value":"#)
        field.value.append(to: &text)
        text.append("}}")
      }
      text.append("]}}")
    }
    if let order {
      text.append(#","orderBy":[{"direction":""#)
      text.append(isDescending ? "DESCENDING" : "ASCENDING")
      text.append(#"","field":{"fieldPath":"#)
      text.append(quoted: order)
      text.append("}}]")
    }
    if let after {
      text.append(#","startAt":{"before":false,"values":["#)
      after.append(to: &text)
      text.append("]}")
    }
    if let limit { text.append(#","limit":\#(limit)"#) }
    text.append("}}")
    return text.bytes
  }
}
