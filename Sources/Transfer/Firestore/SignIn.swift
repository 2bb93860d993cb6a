internal import HTTPClient
internal import LinuxSystem
internal import Upload
internal import Values

/// What a request is let in by.
struct BearerToken: Hashable, Sendable {
  var text: String
  /// The account it speaks for; `nil` where that is no user.
  var account: String?
}

/// A way to be let in.
protocol SignIn: Sendable {
  /// A token that is good for some minutes more.
  func token() async throws(Setback) -> BearerToken
  /// The server did not take this one.
  func reject(_ token: BearerToken)
}

/// The emulator's own: everything is allowed to whoever says so.
struct OwnerSignIn: SignIn {
  private let owner = BearerToken(text: "owner", account: nil)

  func token() async throws(Setback) -> BearerToken { owner }

  func reject(_ token: BearerToken) {}
}

/// Where a sign-in stands. Events in, what to do out; it knows no clock and sends nothing.
struct SignInState: Hashable, Sendable {
  /// What is to be done to have a token.
  enum Step: Hashable, Sendable {
    /// Use this one.
    case use(BearerToken)
    /// Sign in from the beginning.
    case signIn
    /// Ask for another by this refresh token.
    case refresh(String)
  }

  /// What a server gave us.
  struct Grant: Hashable, Sendable {
    var token: BearerToken
    /// Seconds for which it is good.
    var seconds: Double
    /// By what the next one is asked for; `nil` to sign in again.
    var refresh: String?
  }

  /// Seconds before its end from which on a token is not used any more.
  static let margin = 300.0

  private var token: BearerToken?
  private var renewal = BootTime(nanoseconds: 0)
  private var refreshToken: String?

  /// What to do now.
  func step(at now: BootTime) -> Step {
    if let token, now < renewal { return .use(token) }
    return refreshToken.map { .refresh($0) } ?? .signIn
  }

  /// A server gave us a token. The time is that of the question, not of the answer.
  mutating func note(_ grant: Grant, askedAt time: BootTime) {
    token = grant.token
    // One that is good for less than ten minutes is used for half of them.
    let seconds = max(grant.seconds / 2, grant.seconds - Self.margin)
    renewal = time.advanced(bySeconds: seconds)
    refreshToken = grant.refresh
  }

  /// The refresh token is not taken any more.
  mutating func noteRefreshRefused() {
    token = nil
    refreshToken = nil
  }

  /// A token is not taken any more. A newer one stays.
  mutating func noteRejected(_ rejected: BearerToken) {
    if token == rejected { token = nil }
  }
}

/// Keeps a token, and gets another where it runs out. Of callers that come at the same time one
/// signs in and the others wait for it.
final class TokenKeeper: SignIn {
  private struct Content {
    var state = SignInState()
    var isSigningIn = false
    var waiting: [Reply<Bool>] = []
    /// The outcome of the last attempt, for those who waited for it.
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
        // The one sign-in answers all that wait.
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
        // Used at once, however short its life is.
        return try outcome.get()
      }
    }
  }

  func reject(_ token: BearerToken) {
    content.withLock { $0.state.noteRejected(token) }
  }

  /// Asks for a token.
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

/// Those who give tokens.
protocol TokenGrants: Sendable {
  /// Signs in from the beginning.
  func signIn() async throws(Setback) -> SignInState.Grant
  /// Another token by a refresh token; `nil` if that is not taken any more.
  func refresh(_ token: String) async throws(Setback) -> SignInState.Grant?
}
