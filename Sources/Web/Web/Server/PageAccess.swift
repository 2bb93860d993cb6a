public import HTTPServer
internal import LinuxSystem
internal import Values

/// Controls who may use a server's pages. Considers the paired devices, the PIN for a new device,
/// and this computer's names.
public final class PageAccess: Sendable {
  public let devices: PairedDevices
  /// Whether browsers connect over `https`.
  let isEncrypted: Bool
  private let rule: RequestRule
  /// The terminal command that serves the page; `nil` for a gateway.
  private let command: String?
  private let pairing = Guarded(Pairing())
  private let paired: @Sendable (String) -> Void
  private let wronged: @Sendable (WrongPIN) -> Void
  private let addresses = Guarded<(known: Set<NumericAddress>, time: BootTime?)>(([], nil))

  /// Seconds before this computer's addresses are read again.
  private static let addressSeconds = 5.0

  /// Creates the access control for a gateway's or a terminal command's server. `paired` is called
  /// with the name of each new device, and `wronged` after each wrong PIN.
  public init(
    _ devices: PairedDevices, _ host: HostRule, command: String? = nil,
    paired: @escaping @Sendable (String) -> Void = { _ in },
    wronged: @escaping @Sendable (WrongPIN) -> Void = { _ in }
  ) {
    self.devices = devices
    self.paired = paired
    self.wronged = wronged
    self.command = command
    isEncrypted = host.isEncrypted
    rule = RequestRule(host)
  }

  /// Creates a PIN for one device, valid for ten minutes. A PIN created automatically, such as a
  /// terminal command's next PIN, does not allow any more wrong attempts.
  public func offer(_ role: AccessRole, isAsked: Bool = true) -> PIN {
    let pin = PIN()
    pairing.withLock { $0.offer(pin, role: role, isAsked: isAsked, at: BootClock.now()) }
    return pin
  }

  /// Whether the wrong attempts have reached the daily limit. If so, no PIN is accepted.
  public var isUsedUp: Bool { pairing.withLock { $0.isUsedUp(at: BootClock.now()) } }

  /// Throws if a request does not come from this server's page.
  func check(_ head: RequestHead, isCall: Bool) throws(AccessRefusal) {
    let facts = RequestFacts(method: head.method, isCall: isCall) { head.values(of: $0) }
    try rule.check(facts, addresses: ownAddresses)
  }

  /// Returns the device that sent a request; `nil` if the device is not paired.
  func device(of head: RequestHead) -> PairedDevice? {
    let tokens = SessionCookie.tokens(in: head.values(of: "Cookie"))
    return tokens.isEmpty ? nil : devices.device(of: tokens, at: Self.now)
  }

  /// Pairs a device with a PIN. Returns its role and its cookie. Waits for the disk.
  func pair(
    _ pin: String, _ name: String, from client: ClientAddress
  ) throws(PageFault) -> (role: AccessRole, cookie: String) {
    let role: AccessRole
    do throws(AccessRefusal) {
      role = try pairing.withLock { pairing throws(AccessRefusal) in
        try pairing.attempt(pin, from: "\(client)", at: BootClock.now())
      }
    } catch {
      if case .wrongPIN(let left) = error {
        wronged(WrongPIN(client: client, left: left, isUsedUp: isUsedUp))
      }
      throw fault(error)
    }
    do throws(DeviceFileFault) {
      let token = try devices.pair(name, role: role, at: Self.now)
      if let device = devices.device(of: [token], at: Self.now) { paired(device.name) }
      return (role, SessionCookie.setting(token, isEncrypted: isEncrypted))
    } catch {
      throw PageFault(
        500, error.message(devices.file.path), remedy: error.remedy(devices.file.path))
    }
  }

  /// Converts a refusal to a fault whose remedy suits this server.
  func fault(_ refusal: AccessRefusal) -> PageFault {
    var fault = PageFault(
      refusal.status, refusal.message, remedy: refusal.remedy(at: command))
    fault.seconds = refusal.retryAfter
    return fault
  }

  /// Waits for the disk.
  func forget(_ device: PairedDevice) throws(PageFault) {
    do throws(DeviceFileFault) {
      try devices.forget(device)
    } catch {
      throw PageFault(
        500, error.message(devices.file.path), remedy: error.remedy(devices.file.path))
    }
  }

  private static var now: UTCTime? {
    BootClock.isSystemTimeSynchronised ? BootClock.systemTime() : nil
  }

  /// This computer's addresses. They are read again after a few seconds, because a hotspot may have
  /// been started in the meantime.
  private var ownAddresses: Set<NumericAddress> {
    let now = BootClock.now()
    let known = addresses.withLock { addresses in
      addresses.time.map { now.seconds(since: $0) < Self.addressSeconds } ?? false
        ? addresses.known : nil
    }
    if let known { return known }
    let found = Set(LocalAddresses.all().compactMap { NumericAddress($0) })
    addresses.withLock { $0 = (found, now) }
    return found
  }
}

/// An attempt with a wrong PIN.
public struct WrongPIN: Sendable {
  public let client: ClientAddress
  /// Number of wrong attempts left before the PIN becomes invalid.
  public let left: Int
  /// Whether no PIN is accepted today, unless a user requests one.
  public let isUsedUp: Bool
}

extension RequestHead {
  func values(of name: String) -> [String] {
    let name = name.lowercased()
    return fields.filter { $0.name.lowercased() == name }.map(\.value)
  }
}
