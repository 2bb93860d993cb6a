internal import HTTPServer
internal import LinuxSystem
internal import Terminal
internal import Values
internal import Web

/// A page server's settings, as given by options or by the configuration.
struct PageSettings: Hashable, Sendable {
  var address = ListenAddress(host: "127.0.0.1", port: 8_080)
  /// The setting that determines the address, as named in remedies.
  var origin = "'--listen ADDRESS:PORT'"
  /// The host names that phones use to reach the page, in addition to this computer's names.
  var names: [String] = []
  /// The path of the certificate file for TLS.
  var certificate: String?
  /// The path of the file with the certificate's private key.
  var key: String?
  /// The path of the MBTiles file with the map that is drawn below the tracks.
  var tiles: String?
  /// The path of the GeoJSON file with the routes that are drawn on maps.
  var routes: String?

  /// The options of commands that serve a page.
  static let options: [Option<PageSettings>] = [
    .option(
      "listen", .listenAddress, default: PageSettings().address,
      help: "listen on this address; port 0 picks a free one", sets: \.address),
    .option(
      "tiles", .file("FILE"), help: "the map behind the tracks, as an MBTiles file", sets: \.tiles),
    .option(
      "routes", .file("FILE"), help: "routes to draw on maps, as a GeoJSON file", sets: \.routes),
    .option(
      "certificate", .file("FILE"), help: "serve HTTPS with this certificate and its chain (PEM)",
      sets: \.certificate),
    .option(
      "certificate-key", .file("FILE"), help: "the certificate's key (PEM)", sets: \.key),
  ]
}

/// The HTTP server that serves a page on its own threads.
final class PageServer: Sendable {
  private let access: PageAccess
  private let handler: PageHandler
  private let server: HTTPServer
  private let isEncrypted: Bool

  /// Serves a page to the devices paired with a store. `command` is the terminal command that
  /// serves the page; `nil` for a gateway. `paired` is called with the name of each newly paired
  /// device, and `wronged` after each wrong PIN.
  init(
    _ content: any PageContent, _ settings: PageSettings, store: String, command: String? = nil,
    paired: @escaping @Sendable (String) -> Void = { _ in },
    wronged: @escaping @Sendable (WrongPIN) -> Void
  ) throws {
    let identity = try ServerIdentity.read(certificate: settings.certificate, key: settings.key)
    isEncrypted = identity != nil
    do throws(SystemError) {
      // The rule for host names needs the port, which is known only once the socket listens.
      let listening = try ListeningSocket(settings.address)
      let rule = HostRule(
        port: listening.address.port, isEncrypted: identity != nil, computer: ThisComputer.name,
        names: settings.names)
      access = PageAccess(
        PairedDevices(DeviceFile(besides: store)), rule, command: command, paired: paired,
        wronged: wronged)
      let handler = try PageHandler(content, access, version: Version.number)
      self.handler = handler
      do throws(SystemError) {
        server = try HTTPServer(
          on: listening, identity: identity, limits: PageHandler.limits, handler: handler)
      } catch {
        // A damaged certificate causes an error here. The caller retries, so the handler must not
        // leak.
        handler.stop()
        throw error
      }
    } catch {
      throw Self.complaint(error, settings)
    }
  }

  func stop() {
    handler.stop()
    server.stop()
  }

  /// Creates a PIN with which one device can pair in this role, and lists the page's addresses.
  /// Earlier wrong PINs still count towards the limit unless a user requested the new PIN.
  func invitation(_ role: AccessRole, isAsked: Bool = true) -> PageInvitation {
    PageInvitation(
      pin: access.offer(role, isAsked: isAsked).revealed, role: role.rawValue,
      addresses: addresses)
  }

  /// Whether the daily limit of wrong PINs is reached. If so, the server accepts no PIN.
  var isUsedUp: Bool { access.isUsedUp }

  /// The reason why the list of paired phones was lost; `nil` if it was not lost.
  var lostPhones: Complaint? {
    let path = access.devices.file.path
    return access.devices.fault.map { Complaint($0.message(path), remedy: $0.remedy(path)) }
  }

  /// The address on which the server listens.
  var place: String { "\(server.address)" }

  /// The addresses to type into a browser, the easiest first.
  private var addresses: [String] {
    let scheme = isEncrypted ? "https" : "http"
    let address = server.address
    let everywhere = ["0.0.0.0", "::"]
    guard everywhere.contains(address.host) else { return ["\(scheme)://\(address)"] }
    let isIPv6 = address.isIPv6
    let own = LocalAddresses.all().sorted().filter { text in
      guard let address = NumericAddress(text) else { return false }
      // A link-local address needs a network interface's name, which browsers do not accept.
      return !address.isLoopback && !text.contains("%") && text.contains(":") == isIPv6
    }
    let hosts = own.map { ListenAddress(host: $0, port: address.port).description }
    let name = ThisComputer.name.prefix { $0 != "." }
    let isAnnounced = !name.isEmpty && Folder.exists("/run/avahi-daemon/socket")
    let announced = !isAnnounced ? [] : ["\(name).local:\(address.port)"]
    return (hosts + announced).map { "\(scheme)://\($0)" }
  }

  private static func complaint(_ error: SystemError, _ settings: PageSettings) -> Complaint {
    let remedy =
      switch error {
      case _ where error.isAddressTaken:
        "stop the program that listens there, or set another port with \(settings.origin)"
      case _ where error.isAddressForeign:
        "use an address of this computer; 'ip address' lists its addresses"
      case _ where settings.certificate != nil:
        "check that the certificate and the key match, and check the address"
      default: "set another address with \(settings.origin)"
      }
    return Complaint("\(error)", remedy: remedy)
  }
}
