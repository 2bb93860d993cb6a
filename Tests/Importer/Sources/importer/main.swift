// Reads the newest session of a store, decodes a notification and parses a sentence.
import ChunkFormat
import Export
import MetaWearProtocol
import NMEA
import Recording
import Storage
import Values

guard CommandLine.arguments.count == 3 else {
  fatalError("usage: importer STORE CSV")
}
let (store, table) = (CommandLine.arguments[1], CommandLine.arguments[2])

// A store: the sessions, their streams, and the samples of each chunk.
if let newest = try StoreReader(path: store).sessions(newest: 1).first,
  let session = try StoredSession.find(newest.id, in: store)
{
  let clock = ClockTable(try session.clockEntries())
  for (position, stream) in session.streams().enumerated() {
    var (samples, sum, last) = (0, 0.0, nil as BootTime?)
    var sequence: UInt32?
    while let stored = try session.chunk(ofStream: position, after: sequence) {
      sequence = stored.sequence
      let chunk = try Chunk(decoding: stored.bytes.span)
      samples += chunk.count
      for raw in chunk.columns[0] { sum += chunk.stream.value(of: raw) }
      last = chunk.times.last ?? last
    }
    let utc = last.flatMap(clock.utc(at:))?.iso8601(decimals: 3) ?? "unknown"
    print("stream", stream.board.address, stream.description.signal, samples, sum, utc)
  }
  var file = try OutputFile(path: table)
  let totals = try CSVExport().write(session, to: &file)
  try file.commit()
  print("exported", totals.rows)
}

// A notification: an accelerometer sample, both in counts and in its unit.
let sensor = Accelerometer(chip: .bmi270, revision: 0)
if var decoder = StreamDecoder(sensor.samples, layout: .single) {
  var batch = SampleBatch()
  let packet: [UInt8] = [0x03, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10]
  try decoder.decode(packet.span, into: &batch)
  print("notification", batch[0].x, batch[0].y, batch[0].z)
}

// A sentence sent by a receiver.
var reader = NMEAReader()
func take(_ report: PositionReport) {
  if case .fix(let fix) = report { print("fix", fix.latitude, fix.longitude, fix.utc) }
}
let sentence = Array("$GPRMC,093000,A,5310.080,N,00956.400,E,2.7,84.4,040526,,,A*43\r\n".utf8)
reader.receive(sentence.span, at: BootTime(nanoseconds: 0), report: take)
reader.flush(report: take)
