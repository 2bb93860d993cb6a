internal import BoardDriver
internal import Gateway
internal import Positioning
internal import Terminal
internal import Values

extension GatewayConfiguration {
  /// All keys except those of board sections, in the example file's order.
  static let keys: [ConfigurationKey<GatewayConfiguration>] =
    surroundings + recording + communication

  private static let surroundings: [ConfigurationKey<GatewayConfiguration>] = [
    .optional(
      .gateway, "name", .text("TEXT"), defaultInWords: "the host name", example: "trolley",
      sets: \.plan.recording.gateway, touches: .recording,
      text: "The name of this computer, stored with every session. It distinguishes gateways."
    ).pulled(as: "site.name"),
    .repeatable(
      .gateway, "adapter", .adapter, defaultInWords: "all that are powered on",
      examples: ["00:1A:7D:DA:71:0A", "00:1A:7D:DA:71:0B"], adds: \.plan.recording.adapters,
      touches: .recording,
      subject: \.description,
      text: "A Bluetooth adapter to use. The gateway leaves the others to other programs."),
    .key(
      .gateway, "recovery", .word("HOW"), example: "adapter", sets: \.plan.recovery,
      touches: .course,
      text:
        "The strongest measure to take when samples stop arriving. links restarts sensors and "
        + "reconnects boards; adapter also turns a Bluetooth adapter off and on; usb also resets "
        + "the USB port of an adapter or a receiver."),
    .repeatable(
      .sensors, "sensor", .sensor, examples: ["acceleration@100:16", "angular_velocity@50"],
      adds: \.plan.recording.sensors, touches: .recording, subject: \.signal,
      text:
        "A signal with its rate in Hz and its range. Without a range, the signal uses the widest "
        + "range of its chip. If the file names sensors, they replace the defaults."
    ).pulled(as: "sensors"),
    .optional(
      .sensors, "interval", .word("MS"), unit: "ms",
      defaultInWords: "depends on the number of boards", example: "30", sets: \.plan.recording.pace,
      touches: .recording,
      text: "The Bluetooth connection interval. A longer interval lets an adapter serve more "
        + "boards."),
    .optional(
      .receiver, "gps", .positions, example: "/dev/gps0", sets: \.plan.recording.receiver,
      touches: .recording,
      text: "The position source: a serial port, gpsd, a file or a fixed place. "
        + "Without a source, samples have no position."
    ).pulled(as: "site.place"),
  ]

  private static let recording: [ConfigurationKey<GatewayConfiguration>] = [
    .key(
      .recording, "when", .word("WHEN"), example: "command", sets: \.plan.rule.time,
      touches: .course,
      text:
        "When the gateway records: always, during the hours set in 'hours', while someone walks, "
        + "or on command: from 'footbridge start' to 'footbridge stop'."),
    .optional(
      .recording, "hours", .hours, example: "07:00-19:00", sets: \.plan.rule.hours,
      touches: .course,
      text: "The hours of the local day during which the gateway records, with 'when = hours'."),
    .key(
      .recording, "detector", .word("WHAT"), example: "board", sets: \.plan.walking.detector,
      touches: .recording,
      text: "What detects walking between sessions, with 'when = walking': the gateway, from the "
        + "boards' streams, or the boards themselves, which saves their batteries. With 'board', "
        + "the boards do not stream between walks, so the first steps of a session are missing. "
        + "MetaMotion S boards are required."),
    .key(
      .recording, "lead", .wholeNumber("SECONDS", in: 5...90), unit: "seconds", example: "20",
      sets: \.plan.walking.lead, touches: .course,
      text:
        "With 'when = walking', a session begins once the time walked exceeds the time at rest by "
        + "this many seconds. It ends once rest exceeds walking by the same amount. The session "
        + "includes the samples since the first step."
    ),
    .key(
      .recording, "pre-roll", .wholeNumber("SECONDS", in: 10...120), unit: "seconds",
      example: "60", sets: \.plan.walking.preRoll, touches: .course,
      text: "Seconds of samples to keep in memory for the beginning of a session, with 'when = "
        + "walking'. Older samples cannot be included, so the value should exceed 'lead'."),
    .key(
      .recording, "without-receiver", .word("WHAT"), example: "record",
      sets: \.plan.walking.withoutReceiver, touches: .course,
      text: "What to do when someone walks and the receiver is missing, with "
        + "'when = walking': wait for it, or record without positions."),
    .key(
      .recording, "seal", .number("MINUTES", above: 0, upTo: 1_440), unit: "minutes",
      example: "5", sets: \.plan.recording.sealMinutes, touches: .nextRecording,
      text: "The maximum time that a chunk stays open. Only sealed chunks are uploaded."
    ).pulled(as: "upload.seal_minutes"),
    .key(
      .recording, "at-risk", .wholeNumber("SECONDS", in: 1...60), unit: "s", example: "2",
      sets: \.plan.recording.atRiskSeconds, touches: .nextRecording,
      text: "The maximum number of seconds of samples lost in a power cut. A larger number means "
        + "fewer writes, so a memory card lasts longer."),
    .key(
      .recording, "session-hours", .wholeNumber("HOURS", in: 1...168, of: 3_600), unit: "hours",
      example: "12", sets: \.plan.sessionSeconds, touches: .course,
      text:
        "The maximum length of a session. The session is then closed, and the boards reconnect for the "
        + "next one, which takes a few seconds."
    ).pulled(as: "upload.session_hours"),
    .optional(
      .recording, "note", .text("TEXT"), example: "second week", sets: \.plan.recording.note,
      touches: .recording,
      text: "A note for every session."
    ).pulled(as: "site.note"),
    .optional(
      .recording, "participant", .participant, example: "P07", sets: \.plan.participant,
      touches: .recording,
      text: "The study participant who wears the boards. A participant named at the start "
        + "of a recording takes precedence."),
    .optional(
      .recording, "wearer", .text("TEXT"), example: "left-handed", sets: \.plan.recording.wearer,
      touches: .recording,
      text: "A remark about the person who wears the boards."),
    .repeatable(
      .recording, "hazard", .hazard("HAZARD"), examples: ["Slippery=2", "Slope=1"],
      adds: \.plan.recording.hazards, touches: .recording, subject: { $0.name.lowercased() },
      text: "A hazard on the usual route and its intensity from 0 to 3, noted in every session."
    ),
  ]

  private static let communication: [ConfigurationKey<GatewayConfiguration>] = [
    .key(
      .store, "path", .absolutePath("FILE"), example: "/srv/walks/recording.sqlite",
      sets: \.plan.store, touches: .recording,
      text: "The store file. Its folder is created if it does not exist."),
    .repeatable(
      .upload, "destination", .destination("NAME"), defaultInWords: "all in the store",
      examples: ["home", "clinic"], adds: \.plan.destinations, touches: .uploads,
      subject: { $0.lowercased() },
      text: "The name of a destination to send to. 'footbridge destination list' shows names."),
    .key(
      .upload, "when", .word("WHEN"), example: "not-recording", sets: \.plan.uploads,
      touches: .uploads,
      text: "When the gateway uploads: whenever there is a network, never, or only between "
        + "recordings. A destination may have its own hours."
    ).pulled(as: "upload.when"),
    .key(
      .definitions, "pull", .word("PULL"), example: "never", sets: \.plan.definitionsTime,
      touches: .definitions,
      text: "When the gateway automatically fetches its definitions: daily, or never. "
        + "'footbridge definitions pull' fetches them at once."),
    .repeatable(
      .definitions, "from", .destination("NAME"), defaultInWords: "all in the store",
      examples: ["home"], adds: \.plan.definitionSources, touches: .definitions,
      subject: { $0.lowercased() },
      text: "The name of a destination to fetch definitions from. The first destination that has "
        + "definitions is used."),
    .optional(
      .sharing, "live-location", .destination("NAME"), example: "study", sets: \.plan.liveLocation,
      touches: .recording,
      text: "The name of a Firestore destination that shows the current position while a session "
        + "is recorded. A receiver is required."),
    .optional(
      .sharing, "broker", .broker, example: "mqtts://trolley@broker.example.org:8883",
      sets: \.plan.sharing.broker, touches: .sharing,
      text: "The MQTT broker that connects this gateway to its fleet, or several brokers of one "
        + "cluster, separated by commas. mqtts:// encrypts the connection. The user name precedes "
        + "an @."),
    .optional(
      .sharing, "fleet", .liveName("NAME"), example: "study", sets: \.plan.sharing.fleet,
      touches: .sharing,
      text: "The name of the fleet at the broker. This gateway appears there under the "
        + "'name' of [gateway]."),
    .optional(
      .sharing, "password-file", .absolutePath("FILE"), example: "/etc/footbridge/broker-password",
      sets: \.plan.sharing.passwordFile, touches: .sharing,
      text: "The broker's password file, which nobody else may read."),
    .optional(
      .sharing, "ca-file", .absolutePath("FILE"), defaultInWords: "those of the system",
      example: "/etc/footbridge/broker-ca.pem", sets: \.plan.sharing.authorityFile,
      touches: .sharing,
      text: "The file with the certificates to trust for the broker."),
    .key(
      .sharing, "share", .word("WHAT"), example: "rounded", sets: \.plan.sharing.share,
      touches: .sharing,
      text: "What the fleet sees: nothing; only the status; also the position, rounded to "
        + "hundredths of a degree (about a kilometre); or also the exact position."),
    .key(
      .sharing, "when", .word("WHEN"), example: "session", sets: \.plan.sharing.time,
      touches: .sharing,
      text: "When the position is shared: always, while a session is recorded, or during the "
        + "hours set in 'hours'."),
    .optional(
      .sharing, "hours", .hours, example: "07:00-19:00", sets: \.plan.sharing.hours,
      touches: .sharing,
      text: "The hours of the local day during which the position is shared, with "
        + "'when = hours'."),
    .key(
      .sharing, "least-distance", .wholeNumber("METRES", in: 0...100_000), unit: "metres",
      example: "50", sets: \.plan.sharing.distance, touches: .sharing,
      text: "The distance that the gateway must move before it shares its position again."),
    .key(
      .sharing, "least-interval", .wholeNumber("SECONDS", in: 5...3_600), unit: "seconds",
      example: "30", sets: \.plan.sharing.interval, touches: .sharing,
      text: "The minimum time between two messages about a change."),
    .key(
      .sharing, "expires", .wholeNumber("SECONDS", in: 10...86_400), unit: "seconds",
      example: "300", sets: \.plan.sharing.validity, touches: .sharing,
      text: "The time for which a message is valid. If no newer message arrives, readers mark the "
        + "gateway as stale. Each message is repeated after a third of that time."),
    .optional(
      .status, "socket", .socketPath("FILE"), example: "/run/footbridge/status.sock",
      sets: \.statusSocket, touches: .status,
      text: "The path of the status socket. An empty value disables it."),
    .optional(
      .status, "prometheus", .listenAddress, example: "127.0.0.1:9105", sets: \.prometheus,
      touches: .status,
      text: "The address at which Prometheus can read the status over HTTP. Anyone who can reach "
        + "this address can read the status."),
    .optional(
      .web, "listen", .listenAddress, example: "0.0.0.0:8080", sets: \.pageAddress, touches: .page,
      text: "The address of the page for phones. 127.0.0.1:8080 is for this computer alone, and "
        + "0.0.0.0:8080 for everyone on its networks. A phone sees nothing until it is paired."),
    .repeatable(
      .web, "name", .pageName, examples: ["walks.example.org", "https://walks.example.org"],
      adds: \.page.names, touches: .page, subject: { $0.lowercased() },
      text: "A name that phones use to reach the page, besides localhost, the addresses of this "
        + "computer and its name with .local. A name with https:// belongs to a proxy."),
    .optional(
      .web, "certificate", .absolutePath("FILE"), example: "/etc/footbridge/page.pem",
      sets: \.page.certificate, touches: .page,
      text: "The file with the page's certificate, for https. Requires 'certificate-key'."),
    .optional(
      .web, "certificate-key", .absolutePath("FILE"), example: "/etc/footbridge/page-key.pem",
      sets: \.page.key, touches: .page,
      text: "The certificate's key file, which nobody else may read."),
    .optional(
      .web, "tiles", .absolutePath("FILE"), example: "/srv/maps/area.mbtiles", sets: \.page.tiles,
      touches: .page,
      text: "The map behind the tracks: an MBTiles file with raster tiles. Without one, tracks are "
        + "drawn on a grid."),
    .optional(
      .web, "routes", .absolutePath("FILE"), example: "/srv/maps/routes.geojson",
      sets: \.page.routes, touches: .page,
      text: "Routes to draw on maps: a GeoJSON file with lines, whose properties are 'name' and "
        + "'difficulty'."),
  ]

  /// The descriptions of all keys, section by section.
  static let descriptions: [ConfigurationKeyDescription] = {
    let all = keys.map(\.description) + ConfiguredBoard.keys.map(\.description)
    return ConfigurationSection.allCases.flatMap { section in
      all.filter { $0.section == section }
    }
  }()
}

extension ConfiguredBoard {
  static let keys: [ConfigurationKey<ConfiguredBoard>] = [
    .required(
      .board, "address", .boardAddress, example: "C8:4B:AA:97:50:05", sets: \.address,
      touches: .recording,
      text: "The address of the board, which 'footbridge scan' shows."
    ).pulled(as: "boards.address"),
    .optional(
      .board, "placement", .text("TEXT"), example: "left ankle", sets: \.placement,
      touches: .recording,
      text: "Where the board is worn, in your own words."
    ).pulled(as: "boards.placement"),
  ]
}
