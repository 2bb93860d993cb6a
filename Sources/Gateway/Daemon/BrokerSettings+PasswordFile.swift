public import Sharing
internal import Upload

extension BrokerSettings {
  /// Has the password read from a file at each connection, so that it can be changed there.
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
