internal import CommandLineTool
internal import Gateway
internal import LinuxSystem
internal import Sharing
internal import Terminal
internal import Upload

/// A fleet's broker, as specified by command-line options.
struct BrokerChoice: Hashable, Sendable {
  /// The address of the broker, or of all the brokers in a cluster.
  var address: BrokerAddress?
  var fleets: [String] = []
  /// The fleet, for commands that accept only one fleet.
  private var fleet: String? {
    get { fleets.first }
    set { fleets = newValue.map { [$0] } ?? [] }
  }
  var passwordFile: String?
  /// The path of the file with trusted CA certificates.
  var authorityFile: String?

  /// The environment variable that contains the password, used if no password file is specified.
  static let variable = "FOOTBRIDGE_BROKER_PASSWORD"

  /// Returns a command's options for the broker. `name` is the option for the broker's address. If
  /// `areSeveral` is set, several fleets can be specified.
  static func options(
    _ name: String, areSeveral: Bool, help: String
  ) -> [Option<BrokerChoice>] {
    [
      .option(name, .broker, help: help, sets: \.address),
      areSeveral
        ? .option(
          "fleet", .liveName("NAME"),
          help: "the fleet's name at the broker (repeatable)", adds: \.fleets)
        : .option(
          "fleet", .liveName("NAME"), help: "the fleet's name at the broker", sets: \.fleet),
      .option(
        "broker-password-file", .file("FILE"),
        help: "the file with the broker's password (default: $\(variable))",
        sets: \.passwordFile),
      .option(
        "broker-ca-file", .file("FILE"),
        help: "trust the certificates in this file for the broker, instead of the system's",
        sets: \.authorityFile),
    ]
  }

  /// Validates the options, and returns the broker and the fleets. Returns `nil` if no broker is
  /// specified.
  func checked(
    asOption name: String, of command: String
  ) throws(Complaint) -> (settings: BrokerSettings, fleets: [String])? {
    func usage(_ message: String, _ remedy: String) -> Complaint {
      .usage(message, remedy: remedy, command: command)
    }
    guard let address else {
      guard fleets.isEmpty, passwordFile == nil, authorityFile == nil else {
        throw usage(
          "'--\(name)' is missing",
          "specify the broker, as in '--\(name) mqtt://broker.example.org'")
      }
      return nil
    }
    guard !address.namesPassword else {
      throw usage(
        "a password in the address could be read by others",
        "write it to a file, and specify the file with '--broker-password-file FILE'")
    }
    guard !fleets.isEmpty else {
      throw usage(
        "'--fleet' is missing", "use the value of 'fleet' under [sharing] on the gateways")
    }
    var settings = BrokerSettings(address)
    settings.authorityFile = authorityFile
    if let passwordFile {
      settings.readPassword(from: passwordFile)
      // Check now whether the password file can be read, so that the error is reported immediately.
      do throws(SecretFile.Failure) {
        _ = try SecretFile(passwordFile).readLine()
      } catch {
        throw Complaint(error.reason, remedy: error.remedy)
      }
    } else if let password = Environment.variables[Self.variable] {
      settings.password = { () throws(BrokerFailure) in password }
    }
    return (settings, fleets)
  }
}
