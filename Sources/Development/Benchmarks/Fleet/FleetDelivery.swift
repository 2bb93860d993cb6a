internal import Coding
internal import UploadProtocol
internal import Values

/// A request that delivers chunks from one gateway.
struct FleetDelivery {
  /// The index of the sending gateway in its lane (the thread that simulates the gateway).
  let player: Int
  /// The indices of the chunks' entries in the ledger.
  let entries: Range<Int>
  let content: FleetLedger.Content
  let sizes: [Int]
  let request: [UInt8]

  init(
    of player: Int, _ gateway: FleetGateway, _ parts: [ChunkBatch.Part], entries: Range<Int>,
    content: FleetLedger.Content = .own
  ) {
    self.player = player
    self.entries = entries
    self.content = content
    sizes = parts.map(\.bytes.count)
    let isSingle = parts.count == 1
    let body = isSingle ? parts[0].bytes : ChunkBatch.body(of: parts)
    let target = isSingle ? "PUT \(UploadPath.chunk(parts[0].id).text)" : "POST /v1/chunks"
    let head = """
      \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(gateway.token)\r
      Content-Digest: \(ContentDigest.text(SHA256.hash(of: body)))\r
      Content-Length: \(body.count)\r\n\r\n
      """
    request = Array(head.utf8) + body
  }
}
