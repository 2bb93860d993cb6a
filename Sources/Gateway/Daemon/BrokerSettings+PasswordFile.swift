public import Sharing
internal import Upload

extension BrokerSettings {
  /// Reads the password from the file before every connection, so a changed password takes effect
  /// without a restart.
  public mutating func readPassword(from file: String) {
    password = { () throws(BrokerFailure) in
      do throws(SecretFile.Failure) {
        return try SecretFile(file).readLine().revealed
      } catch {
        throw BrokerFailure(error.reason, remedy: error.remedy)
      }
    }
  }
}
