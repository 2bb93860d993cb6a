import ChunkFormat
import Coding
import Foundation
@testable import HTTPServer
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadProtocol
@testable import UploadServer
import Values

/// The order in which requests that wait for the intake are handled.
@Suite(.computation) struct IntakeThreadTests {
  private let intake = MemoryIntake()

  /// Returns a request with a batch of chunks. Each large chunk has a size of 400 kB.
  private func job(
    _ first: UInt32, chunks count: UInt32, isLarge: Bool, isConstant: Bool = false, client: UInt64,
    _ answers: Mailbox<ServerLoop.Message>
  ) -> IntakeThread.Job {
    var generator = SplitMix64(seed: UInt64(first))
    let parts = (first..<first + count).map { number in
      var chunk = SampleChunk.make(number)
      if isLarge {
        let length = 1 << 15
        chunk.counters = (0..<UInt32(length)).map { $0 }
        chunk.arrivals = Array(repeating: chunk.arrivals[0], count: length)
        chunk.columns = (0..<3).map { _ in
          isConstant
            ? Array(repeating: 0, count: length)
            : (0..<length).map { _ in Int32.random(in: .min ... .max, using: &generator) }
        }
      }
      return ChunkBatch.Part(id: chunk.id, bytes: chunk.encoded())
    }
    let body = ChunkBatch.body(of: parts)
    let digest = "sha-256=:" + Data(SHA256.hash(of: body)).base64EncodedString() + ":"
    var head = RequestHead("POST", "/v1/chunks", fields: [.init("Content-Digest", digest)])
    head.client = ClientAddress(client)
    return IntakeThread.Job(
      head: head, path: .chunks, body: body, reply: PendingReply(to: UInt64(first), answers))
  }

  @Test func `small requests are handled first, and large batches alternate between senders`()
    throws
  {
    let answers = try Mailbox<ServerLoop.Message>()
    let jobs = try Mailbox<IntakeThread.Message>()
    // Three requests from one client, one from another client, and then a small request.
    for (count, client) in [(3, 1), (4, 1), (5, 1), (6, 2)] as [(UInt32, UInt64)] {
      let large = job(count * 100, chunks: count, isLarge: true, client: client, answers)
      #expect(jobs.post(.job(large)))
    }
    #expect(jobs.post(.job(job(1, chunks: 1, isLarge: false, client: 3, answers))))
    #expect(jobs.post(.stop))
    IntakeThread(
      intake.open(), jobs: jobs, tally: IntakeTally(), known: KnownTokens(),
      bodyLimit: ServerLimits().body, definitions: nil, live: nil
    ).run()
    #expect(intake.content.withLock { $0.transactions } == [1, 3, 6, 4, 5])
    let statuses = answers.takeAll().compactMap { message -> Int? in
      guard case .answer(_, let response, _) = message else { return nil }
      return response.status
    }
    #expect(statuses == [200, 200, 200, 200, 200])
  }

  @Test
  func `if one client sends small bodies with many samples, others wait for only one body`()
    throws
  {
    let answers = try Mailbox<ServerLoop.Message>()
    let jobs = try Mailbox<IntakeThread.Message>()
    // Because all samples are equal, the batch is compressed to almost nothing.
    for number in 1...4 as ClosedRange<UInt32> {
      let job = job(number * 1_000, chunks: 64, isLarge: true, isConstant: true, client: 1, answers)
      #expect(job.body.count < 1 << 20)
      #expect(jobs.post(.job(job)))
    }
    #expect(jobs.post(.job(job(1, chunks: 1, isLarge: false, client: 2, answers))))
    #expect(jobs.post(.stop))
    IntakeThread(
      intake.open(), jobs: jobs, tally: IntakeTally(), known: KnownTokens(),
      bodyLimit: ServerLimits().body, definitions: nil, live: nil, busySeconds: 0
    ).run()
    let order = answers.takeAll().compactMap { message -> UInt64? in
      guard case .answer(let number, _, _) = message else { return nil }
      return number
    }
    #expect(order == [1_000, 1, 2_000, 3_000, 4_000])
  }
}
