internal import CPostgres
internal import LinuxSystem
internal import Values

/// A connection to a PostgreSQL cluster's writable server, for use by one thread.
///
/// The address is in PostgreSQL's own format and can contain any of PostgreSQL's connection
/// parameters. If it lists several hosts, the first writable one is used. If the connection has
/// broken, the next call opens a new one:
///
///     let database = try PostgresConnection(address)
///     let rows = try database.run("SELECT $1 + 1", [.integer(1)])
///     let two = rows.integer(0, 0)
@safe
public final class PostgresConnection {
  /// Connection parameters that apply unless the address sets them. `connect_timeout` and
  /// `tcp_user_timeout` ensure that a vanished server is detected within seconds.
  private static let defaults = [
    ("application_name", "footbridge"), ("connect_timeout", "3"), ("tcp_user_timeout", "5000"),
    ("target_session_attrs", "read-write"),
    ("options", "-c statement_timeout=10s -c lock_timeout=5s"),
  ]
  /// A setting that overrides the database's own value in each session. Without it, the server
  /// might reply before the data is safely stored.
  private static let settings = "SET synchronous_commit = on"
  /// The maximum number of attempts at a transaction that conflicts with others.
  private static let attempts = 8

  private let address: String
  /// Maximum number of seconds to wait for a reply. The server's own time limits do not apply while
  /// it waits for its standbys or is stopped.
  private let limit: Double
  // Safety: this object owns the connection and closes it.
  private var handle: OpaquePointer?
  private var prepared: [String: String] = [:]
  /// The server's last warning. Cleared before each commit.
  private let warnings = Warnings()

  /// Connects to a server. `limit` is the maximum time to wait for each reply, in seconds.
  public init(_ address: String, limit: Double = 12) throws(PostgresError) {
    self.address = address
    self.limit = limit
    try connect()
  }

  deinit {
    disconnect()
  }

  private func disconnect() {
    unsafe PQfinish(handle)
    unsafe handle = nil
    prepared = [:]
  }

  private func connect() throws(PostgresError) {
    // If a parameter occurs twice, libpq uses the last value.
    let names = Self.defaults.map(\.0) + ["dbname", "client_encoding"]
    let values = Self.defaults.map(\.1) + [address, "UTF8"]
    let opened = unsafe CArguments(texts: names).withPointers { names in
      unsafe CArguments(texts: values).withPointers { values in
        unsafe PQconnectdbParams(names, values, 1)
      }
    }
    guard let opened = unsafe opened else {
      throw PostgresError(.unreachable, "not enough memory for a connection")
    }
    unsafe handle = opened
    guard unsafe cpostgres_is_open(opened) != 0 else {
      let reason = lastMessage
      disconnect()
      throw PostgresError(Self.kind(ofRefusal: reason), reason)
    }
    // Safety: the object that collects the warnings outlives the connection.
    unsafe PQsetNoticeReceiver(
      opened, { unsafe note(warning: $1, in: $0) }, Unmanaged.passUnretained(warnings).toOpaque())
    // A server that stops reading must not block this thread.
    unsafe PQsetnonblocking(opened, 1)
    _ = try perform(Self.settings)
  }

  /// Returns the kind of error for a refused connection. libpq provides no SQLSTATE in this case,
  /// so the kind is determined from the message, which is in the server's language.
  private static func kind(ofRefusal reason: String) -> PostgresError.Kind {
    if reason.holds("FATAL:  database \""), reason.hasSuffix("\" does not exist") {
      return .noDatabase
    }
    return ["password", "pg_hba.conf", "role \"", "database \""].contains { reason.holds($0) }
      ? .denied : .unreachable
  }

  private var lastMessage: String {
    let text = unsafe handle.map { unsafe String(cString: PQerrorMessage($0)) } ?? ""
    return Self.line(text)
  }

  /// Joins a message's lines into a single line.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
      .joined(separator: "; ")
  }

  // MARK: Statements

  /// Runs a single statement. Repeats the statement after a conflict with another transaction. A
  /// read-only statement is also repeated if the connection breaks, for example because the server
  /// restarts.
  @discardableResult
  public func run(
    _ statement: String, _ values: [PostgresValue] = []
  ) throws(PostgresError) -> PostgresRows {
    try repeating(alsoWhenLost: statement.hasPrefix("SELECT")) { () throws(PostgresError) in
      try self.send(statement, values)
    }
  }

  /// Runs statements as one transaction. `body` sends them with `send`. The transaction starts over
  /// after a conflict, or if the connection turns out to be broken.
  ///
  /// Throws `.unknownOutcome` if it is unknown whether the transaction was committed.
  public func transaction<Result>(
    _ body: () throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    try repeating(alsoWhenLost: true) { () throws(PostgresError) in
      _ = try self.perform("BEGIN")
      let result: Result
      do throws(PostgresError) {
        result = try body()
      } catch {
        if error.kind != .unreachable { _ = try? self.perform("ROLLBACK") }
        throw error
      }
      try self.commit()
      return result
    }
  }

  /// Commits the transaction. Throws unless the server and its quorum of standbys have stored the
  /// data.
  private func commit() throws(PostgresError) {
    warnings.last = nil
    do throws(PostgresError) {
      _ = try perform("COMMIT")
    } catch {
      // These errors mean that the transaction was rolled back.
      if error.kind == .repeatable || error.kind == .full { throw error }
      disconnect()
      throw PostgresError(.unknownOutcome, state: error.state, error.description)
    }
    // The transaction is committed on this server, but the standbys did not confirm it in time.
    if let warning = warnings.last { throw PostgresError(.unknownOutcome, Self.line(warning)) }
  }

  private func repeating<Result>(
    alsoWhenLost mayRepeat: Bool, _ body: () throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    var attempt = 1
    // A broken connection is replaced only if it was opened before this call.
    var isOld = unsafe handle != nil
    while true {
      if unsafe handle == nil { try connect() }
      do throws(PostgresError) {
        return try body()
      } catch {
        let isFirstLoss = error.kind == .unreachable && !error.isTimeout && mayRepeat && isOld
        if isFirstLoss {
          isOld = false
          // The broken connection's error is more useful than the error from the failed
          // reconnection.
          do throws(PostgresError) { try connect() } catch _ { throw error }
          continue
        }
        guard error.kind == .repeatable, attempt < Self.attempts else { throw error }
        attempt += 1
      }
    }
  }

  /// Sends one statement of a transaction.
  @discardableResult
  public func send(
    _ statement: String, _ values: [PostgresValue] = []
  ) throws(PostgresError) -> PostgresRows {
    let name = try prepare(statement, values)
    let lengths = values.map { Int32(clamping: $0.bytes?.count ?? 0) }
    let binary = [Int32](repeating: 1, count: values.count)
    let isSent = unsafe CArguments(values.map(\.bytes)).withPointers { pointers in
      unsafe PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, binary, 1)
    }
    return try answer(isSent: isSent)
  }

  /// Returns a prepared statement's name, and prepares the statement first if needed. Each
  /// statement is prepared once per connection.
  private func prepare(
    _ statement: String, _ values: [PostgresValue]
  ) throws(PostgresError) -> String {
    if let name = prepared[statement] { return name }
    let name = "s\(prepared.count)"
    let types = values.map(\.type)
    _ = try answer(
      isSent: unsafe PQsendPrepare(handle, name, statement, Int32(types.count), types))
    prepared[statement] = name
    return name
  }

  /// Runs statements without parameters.
  func perform(_ statements: String) throws(PostgresError) -> PostgresRows {
    if unsafe handle == nil { try connect() }
    return try answer(isSent: unsafe PQsendQuery(handle, statements))
  }

  // MARK: Answers

  /// Waits up to `limit` seconds for the reply to the statement that was sent last.
  private func answer(isSent: Int32) throws(PostgresError) -> PostgresRows {
    guard isSent == 1 else { throw lost() }
    let end = BootClock.now().advanced(bySeconds: limit)
    while true {
      let unsent = unsafe PQflush(handle)
      guard unsent >= 0 else { throw lost() }
      if unsent == 0, unsafe PQisBusy(handle) == 0 { break }
      let rest = end.seconds(since: BootClock.now())
      guard rest > 0 else {
        // Without a cancel request, the server would hold its locks until its standbys are
        // available again.
        cancel()
        var error = lost("no reply within \(Int(limit)) s")
        error.isTimeout = true
        throw error
      }
      let isReady = unsafe cpostgres_wait(handle, unsent, Int32(rest * 1_000) + 1)
      if isReady > 0, unsafe PQconsumeInput(handle) == 0 { throw lost() }
    }
    let result = unsafe PQgetResult(handle)
    // One statement yields one result and an end marker.
    while let other = unsafe PQgetResult(handle) { unsafe PQclear(other) }
    if let result = unsafe result, unsafe cpostgres_is_answer(result) != 0 {
      return unsafe PostgresRows(owning: result)
    }
    defer { unsafe PQclear(result) }
    let state = unsafe field(cpostgres_state(), of: result) ?? ""
    let message = unsafe field(cpostgres_message(), of: result) ?? lastMessage
    let isLost = unsafe cpostgres_is_open(handle) == 0 || state.isEmpty
    let kind = isLost ? .unreachable : PostgresError.kind(ofState: state)
    // The next call searches for a writable server again.
    if kind == .unreachable { disconnect() }
    throw PostgresError(kind, state: state, Self.line(message))
  }

  /// Cancels the work on the server. This runs on a separate thread, because a stopped server does
  /// not reply to a cancel request either. Only one such thread runs at a time.
  private func cancel() {
    let isFirst = Self.isCancelling.withLock { isCancelling in
      defer { isCancelling = true }
      return !isCancelling
    }
    guard isFirst else { return }
    // Safety: only the new thread uses the cancel object, and it frees the object.
    nonisolated(unsafe) let cancel = unsafe PQgetCancel(handle)
    let thread = try? NamedThread("pg-cancel") {
      unsafe cpostgres_cancel(cancel)
      Self.isCancelling.withLock { $0 = false }
    }
    guard let thread else {
      unsafe PQfreeCancel(cancel)
      return Self.isCancelling.withLock { $0 = false }
    }
    thread.letGo()
  }

  private static let isCancelling = Guarded(false)

  /// Closes the broken connection and returns its error. The next call opens a new connection.
  private func lost(_ reason: String? = nil) -> PostgresError {
    defer { disconnect() }
    return PostgresError(.unreachable, reason ?? lastMessage)
  }
}

/// The last warning that a server has sent, or `nil` if there is none.
private final class Warnings {
  var last: String?
}

private func note(warning: OpaquePointer?, in context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  let warnings = unsafe Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue()
  warnings.last = unsafe field(cpostgres_message(), of: warning) ?? "a warning"
}

private func field(_ code: Int32, of result: OpaquePointer?) -> String? {
  unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) }
}
