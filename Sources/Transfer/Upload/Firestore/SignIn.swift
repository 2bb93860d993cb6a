internal import HTTPClient
internal import LinuxSystem
internal import Values

/// A token that authorises requests.
struct BearerToken: Hashable, Sendable {
  var text: String
  /// The account that owns the token; `nil` if the token does not belong to a user.
  var account: String?
}

/// Provides tokens by signing in.
protocol SignIn: Sendable {
  /// Returns a token that has not expired.
  func token() async throws(Setback) -> BearerToken
  /// Records that the server rejected this token.
  func reject(_ token: BearerToken)
}

/// Signs in to the emulator, which grants full access to any client that claims to be the owner.
struct OwnerSignIn: SignIn {
  private let owner = BearerToken(text: "owner", account: nil)

  func token() async throws(Setback) -> BearerToken { owner }

  func reject(_ token: BearerToken) {}
}

/// The state of a sign-in. This type receives events and returns actions. It neither reads a clock
/// nor sends anything.
struct SignInState: Hashable, Sendable {
  /// The next step to take towards obtaining a token.
  enum Step: Hashable, Sendable {
    case use(BearerToken)
    /// Sign in with the credentials, not with a refresh token.
    case signIn
    /// Use this refresh token to request another token.
    case refresh(String)
  }

  /// A server's reply to a sign-in or a refresh.
  struct Grant: Hashable, Sendable {
    var token: BearerToken
    /// The token's lifetime in seconds.
    var seconds: Double
    /// The token to use for the next refresh; `nil` if the client must sign in again.
    var refresh: String?
  }

  /// The safety margin in seconds: a token is replaced this long before it expires.
  static let margin = 300.0

  private var token: BearerToken?
  private var renewal = BootTime(nanoseconds: 0)
  private var refreshToken: String?

  func step(at now: BootTime) -> Step {
    if let token, now < renewal { return .use(token) }
    return refreshToken.map { .refresh($0) } ?? .signIn
  }

  /// Records a token that a server granted. `time` is the time of the request, not of the response.
  mutating func note(_ grant: Grant, askedAt time: BootTime) {
    token = grant.token
    // If a token is valid for less than ten minutes, it is used for half of its lifetime.
    let seconds = max(grant.seconds / 2, grant.seconds - Self.margin)
    renewal = time.advanced(bySeconds: seconds)
    refreshToken = grant.refresh
  }

  /// Records that the server no longer accepts the refresh token.
  mutating func noteRefreshRefused() {
    token = nil
    refreshToken = nil
  }

  /// Records that the server no longer accepts a token. If there is a newer token, it remains in
  /// use.
  mutating func noteRejected(_ rejected: BearerToken) {
    if token == rejected { token = nil }
  }
}

/// Caches a token and replaces it before it expires. If several callers need a token at the same
/// time, one signs in and the others wait for the result.
final class TokenKeeper: SignIn {
  private struct Content {
    var state = SignInState()
    var isSigningIn = false
    var waiting: [Reply<Bool>] = []
    /// The last attempt's failure, for the callers that waited; `nil` if it succeeded.
    var failure: Setback?
  }

  private let content = Guarded(Content())
  private let grants: any TokenGrants

  init(_ grants: any TokenGrants) {
    self.grants = grants
  }

  func token() async throws(Setback) -> BearerToken {
    while true {
      enum Part: Sendable {
        case use(BearerToken)
        case ask(SignInState.Step)
        case wait
      }
      let now = BootClock.now()
      let part = content.withLock { content -> Part in
        let step = content.state.step(at: now)
        if case .use(let token) = step { return .use(token) }
        guard !content.isSigningIn else { return .wait }
        content.isSigningIn = true
        return .ask(step)
      }
      switch part {
      case .use(let token): return token
      case .wait:
        // One sign-in serves all waiting callers.
        _ = await Reply<Bool>.wait { reply in
          let isOver = content.withLock { content in
            guard content.isSigningIn else { return true }
            content.waiting.append(reply)
            return false
          }
          if isOver { reply.give(true) }
        }
        if let failure = content.withLock({ $0.failure }) { throw failure }
      case .ask(let step):
        let outcome = await ask(step, at: now)
        let waiting = content.withLock { content in
          if case .failure(let failure) = outcome {
            content.failure = failure
          } else {
            content.failure = nil
          }
          content.isSigningIn = false
          defer { content.waiting = [] }
          return content.waiting
        }
        for reply in waiting { reply.give(true) }
        // The token is used immediately, however short its lifetime.
        return try outcome.get()
      }
    }
  }

  func reject(_ token: BearerToken) {
    content.withLock { $0.state.noteRejected(token) }
  }

  private func ask(
    _ step: SignInState.Step, at time: BootTime
  ) async -> Result<BearerToken, Setback> {
    do throws(Setback) {
      let grant: SignInState.Grant
      switch step {
      case .use(let token): return .success(token)
      case .signIn: grant = try await grants.signIn()
      case .refresh(let refresh):
        if let refreshed = try await grants.refresh(refresh) {
          grant = refreshed
        } else {
          content.withLock { $0.state.noteRefreshRefused() }
          grant = try await grants.signIn()
        }
      }
      content.withLock { $0.state.note(grant, askedAt: time) }
      return .success(grant.token)
    } catch {
      return .failure(error)
    }
  }
}

/// A service that issues tokens.
protocol TokenGrants: Sendable {
  /// Signs in with the credentials, not with a refresh token.
  func signIn() async throws(Setback) -> SignInState.Grant
  /// Uses a refresh token to request another token. Returns `nil` if the service no longer accepts
  /// this refresh token.
  func refresh(_ token: String) async throws(Setback) -> SignInState.Grant?
}
